//! Line plots as SVG, both axes logarithmic.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

/// A named line; x ascending.
pub struct Series {
    name: String,
    pub points: Vec<(f64, f64)>,
}

impl Series {
    pub fn new(name: &str) -> Series {
        Series { name: name.to_string(), points: Vec::new() }
    }
}

/// Draws the series. An empty list is not an error.
pub fn lines(file: &Path, title: &str, x: &str, y: &str, series: &[Series]) -> Result<()> {
    let points = || series.iter().flat_map(|series| &series.points).filter(|(_, y)| *y > 0.0);
    let bounds = |value: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            points().map(value).fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        low / 1.3..high * 1.3
    };
    if points().next().is_none() {
        return Ok(());
    }
    draw(file, [title, x, y], [bounds(|p| p.0), bounds(|p| p.1)], series)
        .map_err(|error| anyhow!("{}: {error}", file.display()))
}

fn draw(
    file: &Path,
    [title, x, y]: [&str; 3],
    [across, up]: [std::ops::Range<f64>; 2],
    series: &[Series],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(file, (720, 440)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(across.log_scale(), up.log_scale())?;
    chart.configure_mesh().x_desc(x).y_desc(y).light_line_style(WHITE).draw()?;
    for (index, line) in series.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), color.stroke_width(2)).point_size(3))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}
