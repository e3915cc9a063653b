//! Signals from tables in Apache Parquet.

use super::error::MotionError;
use super::signals::Signals;
use super::table::Titles;
use bytes::Bytes;
use parquet::basic::{LogicalType, TimeUnit};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::collections::BTreeMap;

impl Signals {
    /// Reads a table in Apache Parquet, not compressed or with Snappy, whose columns have titles as those of
    /// [`Self::from_csv`] and hold numbers. Null and NaN are samples that are missing. Time stamps are in s, whatever they are
    /// stored in. A line is a row, from 1.
    ///
    /// # Errors
    /// As of [`Self::from_csv`].
    pub fn from_parquet(bytes: Vec<u8>) -> Result<Self, MotionError> {
        Self::parquet(bytes, &Titles::new(None))
    }

    /// As [`Self::from_parquet`], of the columns whose titles in the table are keys, read as if they had the title that is the
    /// value. The others may be of any type.
    ///
    /// # Errors
    /// As there, and for a title that there is not.
    pub fn from_parquet_columns(
        bytes: Vec<u8>,
        titles: &BTreeMap<String, String>,
    ) -> Result<Self, MotionError> {
        Self::parquet(bytes, &Titles::new(Some(titles)))
    }

    fn parquet(bytes: Vec<u8>, titles: &Titles) -> Result<Self, MotionError> {
        let failed = |line: u64, reason: String| MotionError::Table { line, reason };
        let unreadable = |line: u64| move |error: ParquetError| failed(line, error.to_string());
        let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(unreadable(1))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let fields = schema.root_schema().get_fields();
        let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
        let columns = titles.columns(&names)?;
        let scales: Vec<f64> = (columns.iter())
            .map(
                |&(k, ..)| match fields[k].get_basic_info().logical_type_ref() {
                    Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::NANOS => 1e-9,
                    _ => 1.0,
                },
            )
            .collect();
        let mut values = vec![Vec::new(); columns.len()];
        let rows = reader.get_row_iter(None).map_err(unreadable(1))?;
        let mut lines = Vec::new();
        for (line, row) in (1..).zip(rows) {
            let row = row.map_err(unreadable(line))?;
            let cells: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
            for ((values, (k, name, _)), scale) in values.iter_mut().zip(&columns).zip(&scales) {
                let value = cells.get(*k).copied().and_then(number);
                let value = value.map(|x| scale * x).filter(|x| !x.is_infinite());
                values.push(value.ok_or_else(|| {
                    let found = cells.get(*k).map(ToString::to_string).unwrap_or_default();
                    failed(line, format!("{name} is {found}, expected a number"))
                })?);
            }
            lines.push(line);
        }
        let named = columns.into_iter().map(|(_, name, unit)| (name, unit));
        Self::of_columns(named.zip(values).collect(), lines)
    }
}

/// A number, NaN of null, or a time stamp in s; 64 bits of integers are rounded to 53.
fn number(field: &Field) -> Option<f64> {
    Some(match *field {
        Field::Null => f64::NAN,
        Field::Byte(x) => f64::from(x),
        Field::Short(x) => f64::from(x),
        Field::Int(x) => f64::from(x),
        Field::Long(x) => x as f64,
        Field::UByte(x) => f64::from(x),
        Field::UShort(x) => f64::from(x),
        Field::UInt(x) => f64::from(x),
        Field::ULong(x) => x as f64,
        Field::Float16(x) => f64::from(x),
        Field::Float(x) => f64::from(x),
        Field::Double(x) => x,
        Field::TimestampMillis(x) => 1e-3 * x as f64,
        Field::TimestampMicros(x) => 1e-6 * x as f64,
        _ => return None,
    })
}
