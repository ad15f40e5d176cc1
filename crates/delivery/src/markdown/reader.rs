//! Goes through the events of the parser and writes them down as words with spans.

use std::ops::Range;

use openclaw_types::{Style, TableMode};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::page::Page;
use super::shield::Shielded;
use super::table::Table;
use super::{Formatted, spoiler, table};

/// The longest name of a language; what is longer is none.
const LANGUAGE: usize = 40;

/// Reads a source.
pub(super) fn read(source: &Shielded, tables: TableMode) -> Formatted {
    let mut options = Options::ENABLE_STRIKETHROUGH;
    if tables != TableMode::Off {
        options |= Options::ENABLE_TABLES;
    }
    let mut reader = Reader::new(source, tables);
    for (event, range) in Parser::new_ext(&source.text, options).into_offset_iter() {
        reader.take(event, range);
    }
    reader.finish()
}

struct Reader<'a> {
    source: &'a Shielded,
    tables: TableMode,
    page: Page,
    /// The words before the cell that is being read.
    outside: Option<Page>,
    paragraphs: Vec<usize>,
    /// The next word begins a paragraph after a blank line.
    after_blank: bool,
    /// How many blocks hold other blocks around this place.
    depth: usize,
    /// The lists around this place.
    lists: Vec<List>,
    /// The mark of an item was just written.
    fresh_item: bool,
    /// Where the words of this block begin, once there are any.
    block: Option<usize>,
    links: Vec<Link>,
    strikes: Vec<Strike>,
    code: Option<Code>,
    table: Option<Table>,
    row: Vec<openclaw_types::RichText>,
}

struct List {
    /// The number of the next item; nothing for bullets.
    number: Option<u64>,
    begun: bool,
}

struct Link {
    start: usize,
    address: String,
    image: bool,
}

#[derive(PartialEq, Eq)]
enum Strike {
    Style,
    /// One tilde on each side is text.
    Text,
}

struct Code {
    language: Option<String>,
    text: String,
    /// Where it is in the source.
    range: Range<usize>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Shielded, tables: TableMode) -> Self {
        Self {
            source,
            tables,
            page: Page::default(),
            outside: None,
            paragraphs: Vec::new(),
            after_blank: false,
            depth: 0,
            lists: Vec::new(),
            fresh_item: false,
            block: None,
            links: Vec::new(),
            strikes: Vec::new(),
            code: None,
            table: None,
            row: Vec::new(),
        }
    }

    fn finish(mut self) -> Formatted {
        self.settle();
        let text = self.page.finish();
        self.paragraphs.retain(|start| *start < text.text().len());
        Formatted { text, paragraphs: self.paragraphs }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, range.start),
            Event::Code(text) => {
                let text = self.source.shown(&text);
                self.begin_words();
                self.page.push_styled(&text, Style::Code);
            }
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, range.start),
            Event::SoftBreak | Event::HardBreak => {
                self.begin_words();
                self.page.push(&line(self.lists.len()));
            }
            Event::Rule => {
                self.settle();
                self.note_blank_line(range.start);
                self.begin_words();
                self.page.push("───");
                self.settle();
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, range.start);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Emphasis => self.open(Style::Italic),
            Tag::Strong => self.open(Style::Bold),
            Tag::Strikethrough => self.open_strike(range.start),
            Tag::Link { link_type, dest_url, .. } => self.open_link(link_type, &dest_url),
            Tag::Image { dest_url, .. } => self.open_image(&dest_url),
            Tag::TableCell => self.outside = Some(std::mem::take(&mut self.page)),
            Tag::TableHead | Tag::TableRow => {}
            block => self.start_block(block, range),
        }
    }

    fn start_block(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        self.settle();
        self.note_blank_line(range.start);
        match tag {
            Tag::Heading { .. } => self.page.open(Style::Bold),
            Tag::BlockQuote(_) => {
                self.page.open(Style::Quote);
                self.depth += 1;
            }
            Tag::List(first) => {
                self.lists.push(List { number: first, begun: false });
                self.depth += 1;
            }
            Tag::Item => self.begin_item(),
            Tag::CodeBlock(kind) => {
                let language = self.language(&kind);
                self.code = Some(Code { language, text: String::new(), range: range.clone() });
            }
            Tag::Table(alignments) => self.table = Some(Table { alignments, ..Table::default() }),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => self.page.close(),
            TagEnd::Strikethrough => self.close_strike(),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::TableHead => {
                let head = std::mem::take(&mut self.row);
                if let Some(table) = &mut self.table {
                    table.head = head;
                }
            }
            TagEnd::TableRow => {
                let row = std::mem::take(&mut self.row);
                if let Some(table) = &mut self.table {
                    table.rows.push(row);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::CodeBlock => self.end_code(),
            block => self.end_block(block),
        }
    }

    fn end_block(&mut self, tag: TagEnd) {
        if tag == TagEnd::HtmlBlock {
            let end = self.page.text.trim_end().len().max(self.block.unwrap_or(0));
            self.page.text.truncate(end);
        }
        self.settle();
        match tag {
            TagEnd::Heading(_) => self.page.close(),
            TagEnd::BlockQuote(_) => {
                self.page.close();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::Item => self.fresh_item = false,
            _ => {}
        }
    }

    /// Ends the words of a block.
    fn settle(&mut self) {
        if let Some(start) = self.block.take() {
            spoiler::settle(&mut self.page, start);
        }
    }

    fn note_blank_line(&mut self, at: usize) {
        if self.depth == 0 && self.outside.is_none() && follows_blank_line(&self.source.text, at) {
            self.after_blank = true;
        }
    }

    /// Writes what stands between this block and the one before, when its first words come.
    fn begin_words(&mut self) {
        if self.block.is_some() || self.outside.is_some() {
            return;
        }
        if self.fresh_item {
            self.fresh_item = false;
        } else if !self.page.text.is_empty() {
            let space = match self.lists.len() {
                0 => "\n\n".to_owned(),
                depth => line(depth),
            };
            self.page.space(&space);
        }
        self.note_paragraph();
        self.block = Some(self.page.text.len());
    }

    fn note_paragraph(&mut self) {
        if self.after_blank && !self.page.text.is_empty() {
            self.paragraphs.push(self.page.text.len());
        }
        self.after_blank = false;
    }

    fn begin_item(&mut self) {
        let depth = self.lists.len();
        let Some(list) = self.lists.last_mut() else { return };
        // The first item of an outer list begins a block; the others are lines.
        let space = if depth == 1 && !list.begun { "\n\n".to_owned() } else { line(depth - 1) };
        let mark = match &mut list.number {
            Some(number) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            None => "• ".to_owned(),
        };
        list.begun = true;
        if !self.page.text.is_empty() && !self.fresh_item {
            self.page.space(&space);
        }
        self.note_paragraph();
        self.page.push(&mark);
        self.fresh_item = true;
    }

    fn text(&mut self, text: &CowStr<'_>, at: usize) {
        let shown = self.source.shown(text);
        if let Some(code) = &mut self.code {
            code.text.push_str(&shown);
            return;
        }
        self.begin_words();
        if at > 0 && self.source.text.as_bytes().get(at - 1) == Some(&b'\\') {
            self.page.escaped.push(self.page.text.len());
        }
        self.page.push(&shown);
    }

    fn open(&mut self, style: Style) {
        self.begin_words();
        self.page.open(style);
    }

    fn open_strike(&mut self, at: usize) {
        if self.source.text[at..].starts_with("~~") {
            self.open(Style::Strikethrough);
            self.strikes.push(Strike::Style);
        } else {
            self.begin_words();
            self.page.push("~");
            self.strikes.push(Strike::Text);
        }
    }

    fn close_strike(&mut self) {
        if self.strikes.pop() == Some(Strike::Style) {
            self.page.close();
        } else {
            self.page.push("~");
        }
    }

    fn open_link(&mut self, kind: LinkType, address: &str) {
        self.begin_words();
        let address = self.source.shown(address).trim().to_owned();
        let address = if kind == LinkType::Email { format!("mailto:{address}") } else { address };
        self.links.push(Link { start: self.page.text.len(), address, image: false });
    }

    fn open_image(&mut self, address: &str) {
        self.begin_words();
        let address = self.source.shown(address).trim().to_owned();
        self.links.push(Link { start: self.page.text.len(), address, image: true });
    }

    fn close_link(&mut self) {
        let Some(link) = self.links.pop() else { return };
        if self.page.text[link.start.min(self.page.text.len())..].trim().is_empty() {
            self.page.push(&link.address);
        }
        // A picture inside a link leads where the link leads.
        if !(link.image && self.links.iter().any(|outer| !outer.image)) {
            self.page.link(link.start, link.address);
        }
    }

    fn end_cell(&mut self) {
        let Some(outside) = self.outside.take() else { return };
        spoiler::settle(&mut self.page, 0);
        let cell = std::mem::replace(&mut self.page, outside);
        self.row.push(cell.finish());
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        self.begin_block_of_lines();
        match self.tables {
            TableMode::Bullets => table::write_bullets(&table, &mut self.page),
            TableMode::Code | TableMode::Off => table::write_code(&table, &mut self.page),
        }
        self.block = None;
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let text = code.text.strip_suffix('\n').unwrap_or(&code.text);
        if text.trim().is_empty() {
            return self.end_empty_code(&code.range);
        }
        self.begin_block_of_lines();
        self.page.push_styled(text, Style::CodeBlock { language: code.language });
        self.block = None;
    }

    /// A block without code is not shown, unless it is only the marks and somebody wrote words behind them.
    fn end_empty_code(&mut self, range: &Range<usize>) {
        let opening = self.source.text[range.clone()].trim();
        if !opening.contains('\n') && opening.contains(char::is_alphanumeric) {
            let words = self.source.shown(opening);
            self.begin_words();
            self.page.push(&words);
            self.block = None;
        }
    }

    /// Begins a block that cannot share its first line with the mark of an item.
    fn begin_block_of_lines(&mut self) {
        if !self.lists.is_empty() && !self.page.text.is_empty() {
            self.fresh_item = false;
            self.page.space("\n");
            self.note_paragraph();
            self.block = Some(self.page.text.len());
        }
        self.begin_words();
    }

    fn language(&self, kind: &CodeBlockKind<'_>) -> Option<String> {
        let CodeBlockKind::Fenced(info) = kind else { return None };
        let info = self.source.shown(info);
        let name = info.split([' ', '\t', ',', '{']).next().unwrap_or("");
        let allowed = |c: char| c.is_alphanumeric() || "+-_.#".contains(c);
        let named = !name.is_empty() && name.len() <= LANGUAGE && name.chars().all(allowed);
        named.then(|| name.to_owned())
    }
}

/// A new line at this depth of lists.
fn line(depth: usize) -> String {
    format!("\n{}", "  ".repeat(depth))
}

/// Whether the line before the one at this place is blank.
fn follows_blank_line(source: &str, at: usize) -> bool {
    let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = source[..line].strip_suffix('\n').unwrap_or("");
    line > 0 && before.rsplit('\n').next().unwrap_or(before).trim().is_empty()
}
