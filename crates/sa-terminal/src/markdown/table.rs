//! Tables, drawn with columns as wide as their cells as far as the terminal is.

use crate::style::{Line, Span, Style, text_width};
use crate::wrap::{Break, Margin, wrap};
use pulldown_cmark::Alignment;

const SEPARATOR: &str = " │ ";
/// The narrowest that a column becomes.
const NARROWEST: usize = 8;

type Cell = Vec<Span>;

/// A table that is being read; its first row is the head.
#[derive(Debug)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
    row: Vec<Cell>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn push_cell(&mut self, cell: Cell) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    pub(super) fn render(&self, room: usize) -> Vec<Line> {
        let widths = self.widths(room);
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            lines.extend(self.render_row(row, &widths, index == 0));
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::styled(&rules.join("─┼─"), Style::DIM));
            }
        }
        lines
    }

    /// Gives each column the width of its widest cell; if that is too much, the widest columns shrink first.
    fn widths(&self, room: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let mut widths = vec![1; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell_width(cell));
            }
        }
        let separators = columns.saturating_sub(1) * SEPARATOR.chars().count();
        while widths.iter().sum::<usize>() + separators > room {
            let Some(widest) =
                widths.iter_mut().max_by_key(|width| **width).filter(|width| **width > NARROWEST)
            else {
                break;
            };
            *widest -= 1;
        }
        widths
    }

    fn render_row(&self, row: &[Cell], widths: &[usize], is_head: bool) -> Vec<Line> {
        let cells: Vec<Vec<Line>> = widths
            .iter()
            .enumerate()
            .map(|(index, width)| {
                let cell: Cell = row.get(index).cloned().unwrap_or_default();
                let cell: Cell = if is_head { cell.iter().map(in_bold).collect() } else { cell };
                wrap(&cell, *width, &Margin::default(), Break::Words)
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let line = |index: usize| {
            let mut line = Line::new();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                if column > 0 {
                    line.push(Span::new(SEPARATOR, Style::DIM));
                }
                let part = cell.get(index).cloned().unwrap_or_default();
                let free = width.saturating_sub(part.width());
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    _ => 0,
                };
                line.push(Span::new(&" ".repeat(before), Style::PLAIN));
                line.extend(&part);
                line.push(Span::new(&" ".repeat(free - before), Style::PLAIN));
            }
            line
        };
        (0..height).map(line).collect()
    }
}

fn in_bold(span: &Span) -> Span {
    Span::new(span.text(), span.style().bold())
}

fn cell_width(cell: &Cell) -> usize {
    cell.iter().map(|span| text_width(span.text())).sum()
}
