//! Complete Markdown as lines: each kind of block and inline text.

use super::options;
use super::table::Table;
use crate::style::{Color, Line, Span, Style};
use crate::wrap::{Break, Margin, wrap};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

const RULE: &str = "─";
/// Columns of a horizontal rule.
const RULE_WIDTH: usize = 40;
const CODE: Style = Style::of(Color::Cyan);

/// Renders Markdown. Between two blocks is one blank line.
pub(super) fn render(source: &str, width: usize) -> Vec<Line> {
    let mut renderer = Renderer::new(width);
    for event in Parser::new_ext(source, options()) {
        renderer.on_event(event);
    }
    renderer.flush();
    renderer.lines
}

#[derive(Default)]
struct Renderer {
    width: usize,
    lines: Vec<Line>,
    /// Text of the block that is being read.
    inline: Vec<Span>,
    styles: Vec<Style>,
    /// The text before the lines of each open container.
    containers: Vec<Margin>,
    /// Number of the next item of each open list; none for bullets.
    lists: Vec<Option<u64>>,
    /// The next block needs a blank line before it.
    gap: bool,
    code: Option<String>,
    links: Vec<Link>,
    table: Option<Table>,
}

struct Link {
    address: String,
    /// Spans of the text before the link.
    before: usize,
}

impl Renderer {
    fn new(width: usize) -> Self {
        Self { width, styles: vec![Style::PLAIN], ..Self::default() }
    }

    fn on_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.on_start(tag),
            Event::End(tag) => self.on_end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(text) => self.text(&text, Style { color: CODE.color, ..self.style() }),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, Style::DIM),
            Event::SoftBreak => self.text(" ", self.style()),
            Event::HardBreak => self.text("\n", self.style()),
            Event::Rule => {
                self.start_block();
                self.text(&RULE.repeat(RULE_WIDTH), Style::DIM);
                self.end_block();
            }
            Event::TaskListMarker(is_done) => {
                let (mark, style) =
                    if is_done { ("✔ ", Style::of(Color::Green)) } else { ("☐ ", Style::DIM) };
                self.text(mark, style);
            }
            Event::FootnoteReference(name) => self.text(&format!("[{name}]"), Style::DIM),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, CODE),
        }
    }

    fn on_start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.start_block(),
            Tag::Heading { level, .. } => {
                self.start_block();
                let style = Style::of(Color::Magenta).bold();
                self.styles.push(Style { underline: level == HeadingLevel::H1, ..style });
                // The marks set headings apart where there are no colors.
                self.text(&format!("{} ", "#".repeat(level as usize)), Style::DIM);
            }
            Tag::BlockQuote(_) => {
                self.start_block();
                self.containers.push(Margin::all(Line::styled("│ ", Style::DIM)));
                self.push_style(|style| Style { italic: true, ..style });
            }
            Tag::CodeBlock(kind) => {
                self.start_block();
                if let CodeBlockKind::Fenced(language) = kind
                    && let Some(word) = language.split_whitespace().next()
                {
                    self.text(word, Style::DIM);
                    self.flush_indented("  ");
                }
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.start_block();
                }
                self.gap = false;
                self.lists.push(first);
            }
            Tag::Item => self.start_item(),
            Tag::Table(alignments) => {
                self.start_block();
                self.table = Some(Table::new(alignments));
            }
            Tag::Emphasis => self.push_style(|style| Style { italic: true, ..style }),
            Tag::Strong => self.push_style(|style| Style { bold: true, ..style }),
            Tag::Strikethrough => self.push_style(|style| Style { strike: true, ..style }),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(Link { address: dest_url.to_string(), before: self.inline.len() });
                self.push_style(|style| Style { underline: true, ..style });
            }
            _ => {}
        }
    }

    fn on_end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.end_block();
                self.pop_style();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.containers.pop();
                self.pop_style();
                self.gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.gap = self.lists.is_empty();
            }
            TagEnd::Item => {
                // Also an item without text shows its mark.
                if !self.inline.is_empty()
                    || self.containers.last().is_some_and(|margin| margin.first != margin.rest)
                {
                    self.flush_always();
                }
                self.containers.pop();
                self.gap = false;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(table) = &mut self.table {
                    table.push_cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.pop_style(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.flush();
        self.gap = false;
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            _ => "• ".to_owned(),
        };
        self.containers.push(Margin::hanging(Line::styled(&mark, Style::of(Color::Cyan))));
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in code.trim_end_matches('\n').split('\n') {
            self.inline.push(Span::new(line, CODE));
            self.flush_indented("  ");
        }
        self.gap = true;
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let margin = self.margin();
        let room = self.width.saturating_sub(margin.rest.width());
        for (index, line) in table.render(room).into_iter().enumerate() {
            let prefix = if index == 0 { &margin.first } else { &margin.rest };
            self.lines.push(line.after(prefix));
        }
        self.gap = true;
    }

    /// Writes the address after the text of a link, unless the text is the address.
    fn end_link(&mut self) {
        self.pop_style();
        let Some(link) = self.links.pop() else { return };
        let text: String = self.inline.iter().skip(link.before).map(Span::text).collect();
        let bare = link.address.trim_start_matches("mailto:");
        if text != bare && !link.address.is_empty() {
            self.text(&format!(" ({})", link.address), Style::DIM);
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        self.inline.push(Span::new(text, style));
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push_style(&mut self, change: impl FnOnce(Style) -> Style) {
        self.styles.push(change(self.style()));
    }

    fn pop_style(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    fn start_block(&mut self) {
        self.flush();
        if std::mem::take(&mut self.gap) {
            let mut blank = Line::new();
            for margin in &self.containers {
                blank.extend(&margin.rest);
            }
            self.lines.push(blank);
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.gap = true;
    }

    /// Writes the text of the open block, if there is any.
    fn flush(&mut self) {
        if self.table.is_none() && !self.inline.is_empty() {
            self.flush_always();
        }
    }

    fn flush_always(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        let margin = self.margin();
        self.lines.extend(wrap(&trimmed(inline), self.width, &margin, Break::Words));
    }

    fn flush_indented(&mut self, indent: &str) {
        let inline = std::mem::take(&mut self.inline);
        let margin = self.margin();
        let indented = |line: Line| line.with(indent, Style::PLAIN);
        let margin = Margin { first: indented(margin.first), rest: indented(margin.rest) };
        self.lines.extend(wrap(&inline, self.width, &margin, Break::Anywhere));
    }

    /// Returns the text before the next lines. The mark of a list's item is used once.
    fn margin(&mut self) -> Margin {
        let mut whole = Margin::default();
        for margin in &mut self.containers {
            whole.first.extend(&margin.first);
            whole.rest.extend(&margin.rest);
            margin.first = margin.rest.clone();
        }
        whole
    }
}

/// Removes the line breaks that raw HTML ends with.
fn trimmed(mut spans: Vec<Span>) -> Vec<Span> {
    if let Some(last) = spans.last_mut() {
        *last = Span::new(last.text().trim_end_matches('\n'), last.style());
    }
    spans
}
