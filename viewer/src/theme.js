// Colours, in both themes.

export const BODIES = ['#5b94d6', '#68b3a2', '#a289cc', '#d1935f', '#67aac4', '#b3a852', '#c47d99', '#8597ab'];
export const GHOSTS = ['#e07b39', '#2aa198', '#b65fcf', '#c9a227', '#d64f6a', '#6c9a2f'];
export const ARROWS = ['#d6336c', '#2b8a3e', '#e8890c', '#1c7ed6', '#9c36b5'];
export const SERIES = ['#0072b2', '#d55e00', '#009e73', '#964696', '#5696c8', '#be8c00', '#6e6e6e'];
export const SYMBOLS = {
  spring: '#e8890c',
  damper: '#7a6a58',
  bushing: '#e8890c',
  deflection: '#d6336c',
  constraint: '#7b4fb5',
  wing: '#1c9cc4',
  sensor: '#12806a',
  limit: '#c59a10',
};
export const EVENTS = { contact: '#d6336c', friction: '#e8890c', element: '#9c36b5', note: '#1c7ed6' };

export const THEMES = {
  light: { sky: '#f5f7fa', fog: '#f5f7fa', ground: '#e9edf2', line: '#aab4c0', fixed: '#b9c0c9', edge: '#20262e' },
  dark: { sky: '#14181e', fog: '#14181e', ground: '#1b2129', line: '#46525f', fixed: '#56606c', edge: '#0a0d10' },
};

// The series of charts are lighter on a dark page.
export function seriesColor(index, theme) {
  const color = SERIES[index % SERIES.length];
  return theme === 'dark' ? mix(color, '#ffffff', 0.3) : color;
}

export function mix(a, b, part) {
  const parse = (c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
  const [x, y] = [parse(a), parse(b)];
  const hex = x.map((v, i) => Math.round(v + (y[i] - v) * part).toString(16).padStart(2, '0'));
  return '#' + hex.join('');
}
