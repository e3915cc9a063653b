// Charts that move with the picture.

import uPlot from 'uplot';
import { figure } from './data.js';
import { seriesColor } from './theme.js';

// The abscissa of charts that move.
const OVER_TIME = 'time [s]';

export class Charts {
  constructor(scene, holder, setTime) {
    this.scene = scene;
    this.holder = holder;
    this.setTime = setTime;
    this.plots = [];
    this.time = 0;
  }

  build(theme) {
    this.plots.forEach(({ plot }) => plot.destroy());
    this.holder.replaceChildren();
    this.plots = this.scene.charts.filter((chart) => chart.series.some((s) => s.x.length)).map((chart) => this.add(chart, theme));
    this.mark(this.time);
  }

  add(chart, theme) {
    const card = element('figure', 'chart');
    const title = element('figcaption');
    title.append(element('b', '', chart.title));
    const unit = /\[(.*)\]$/.exec(chart.y)?.[1] ?? chart.y;
    if (chart.y) title.append(element('span', 'unit', chart.y));
    if (chart.x !== OVER_TIME) title.append(element('span', 'unit', `over ${chart.x}`));
    const names = element('div', 'names');
    const body = element('div', 'plot');
    card.append(title, names, body);
    this.holder.append(card);

    // uPlot takes one column of abscissae; each series brings its own.
    const tables = chart.series.map((s) => (s.mark === 'band' ? [[...s.x], [...s.y], [...s.upper]] : [[...s.x], [...s.y]]));
    const data = uPlot.join(tables);
    const series = [{}];
    const bands = [];
    const values = [];
    const rest = commonPath(chart.series.map((s) => s.name).filter((name) => name));
    chart.series.forEach((s) => {
      const color = seriesColor(s.color, theme);
      // What has no name belongs to the series before it.
      const key = element('span', `key ${s.mark}`);
      key.style.setProperty('--color', color);
      const value = element('output');
      key.append(element('i'), s.name.slice(rest), ' ', value);
      if (s.name) names.append(key);
      const index = series.length;
      if (s.mark === 'band') {
        series.push({ stroke: 'transparent', points: { show: false }, spanGaps: true });
        series.push({ stroke: 'transparent', points: { show: false }, spanGaps: true });
        bands.push({ series: [index + 1, index], fill: color + '30' });
      } else {
        const dots = s.mark === 'dots';
        series.push({
          stroke: dots ? 'transparent' : color,
          width: 1.6,
          dash: s.mark === 'dashes' ? [6, 4] : undefined,
          spanGaps: true,
          points: dots ? { show: true, size: 4, fill: color, stroke: color } : { show: false },
        });
        if (chart.hasOrdinates) values.push({ s, value });
      }
    });
    const ink = theme === 'dark' ? '#aeb8c4' : '#4a5560';
    const grid = { stroke: theme === 'dark' ? '#2a323c' : '#e3e7ec', width: 1 };
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: '11px system-ui, sans-serif', gap: 3 };
    const size = () => ({ width: Math.max(200, body.clientWidth), height: 168 });
    const plot = new uPlot(
      {
        ...size(),
        padding: [8, 16, 0, 0],
        pxAlign: false,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
        scales: { x: { time: false }, y: chart.logarithmic ? { distr: 3 } : {} },
        axes: [
          { ...axis, size: 26, values: (_, ticks) => ticks.map((t) => figure(t, 6)) },
          { ...axis, size: 52, values: (_, ticks) => ticks.map((t) => (t === null || !chart.hasOrdinates ? '' : figure(t, 4))) },
        ],
        series,
        bands,
      },
      data,
      body,
    );
    const line = element('div', 'now-line');
    plot.over.append(line);
    new ResizeObserver(() => {
      plot.setSize(size());
      this.mark(this.time);
    }).observe(body);
    const isOverTime = chart.x === OVER_TIME;
    if (!isOverTime) return { plot, line, values: [], unit, isOverTime };
    const seek = (event) => {
      const box = plot.over.getBoundingClientRect();
      this.setTime(plot.posToVal(event.clientX - box.left, 'x'));
    };
    plot.over.addEventListener('pointerdown', (event) => {
      plot.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.over.addEventListener('pointermove', (event) => event.buttons && seek(event));
    return { plot, line, values, unit, isOverTime };
  }

  // Moves the line of the present.
  mark(time) {
    this.time = time;
    for (const { plot, line, values, isOverTime } of this.plots) {
      const left = plot.valToPos(time, 'x');
      const inside = isOverTime && left >= 0 && left <= plot.over.clientWidth + 1;
      line.style.display = inside ? '' : 'none';
      line.style.transform = `translateX(${left}px)`;
      for (const { s, value } of values) value.textContent = figure(valueAt(s, time), 4);
    }
  }
}

// How many letters of some names are a path that they share.
function commonPath(names) {
  if (names.length < 2) return 0;
  let shared = 0;
  while (shared < names[0].length && names.every((name) => name[shared] === names[0][shared])) shared++;
  return names[0].lastIndexOf('/', shared - 1) + 1;
}

function valueAt(series, time) {
  const { x, y } = series;
  if (!x.length) return NaN;
  let low = 0;
  let high = x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= time) low = middle;
    else high = middle;
  }
  return time - x[low] <= x[high] - time ? y[low] : y[high];
}

export function element(tag, name = '', text = '') {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.textContent = text;
  return made;
}

