//! Links of a page that lead out of the book, to sources and tests beside it.
//!
//! ```markdown
//! [clicks](../tests/tests/recording.rs) and [the panel](reference/panel.md)
//! clicks (`tests/tests/recording.rs`) and [the panel](reference/panel.md)
//! ```
//!
//! A page in a folder leads out with one `../` more for each folder that it is in.

use std::ops::Range;

use mdbook_markdown::pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::errors::Result;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

/// What leads out of a folder.
const OUT: &str = "../";

/// Says the path instead of linking to it: where the book is read, it is not there.
pub(crate) struct Outward;

impl Preprocessor for Outward {
    fn name(&self) -> &'static str {
        "outward"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        book.for_each_chapter_mut(|chapter| {
            let folder = chapter.path.as_ref().and_then(|path| path.parent());
            let depth = folder.map_or(0, |folder| folder.components().count());
            chapter.content = within(&chapter.content, depth);
        });
        Ok(book)
    }
}

/// The page without links that lead out of the book; the page is that many folders deep in it. A link whose text is its
/// path, or whose path was said just before, has its text.
fn within(page: &str, depth: usize) -> String {
    let mut written = String::with_capacity(page.len());
    let (mut copied, mut said) = (0, "");
    let out = OUT.repeat(depth + 1);
    for Link { whole, text, path } in outward_links(page, &out) {
        written.push_str(&page[copied..whole.start]);
        copied = whole.end;
        let text = &page[text];
        written.push_str(text);
        let is_told = said == path || text.trim_matches('`').ends_with(path);
        if !is_told {
            written.push_str(&format!(" (`{path}`)"));
        }
        said = path;
    }
    written + &page[copied..]
}

struct Link<'page> {
    whole: Range<usize>,
    text: Range<usize>,
    /// From the repository's folder.
    path: &'page str,
}

fn outward_links<'page>(page: &'page str, out: &str) -> Vec<Link<'page>> {
    let mut links = Vec::new();
    // Where the text of the link begins and ends that is being read.
    let mut open: Option<(Range<usize>, Option<Range<usize>>)> = None;
    let events = Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter();
    for (event, range) in events {
        match event {
            Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url,
                ..
            }) if dest_url.starts_with(out) => open = Some((range, None)),
            Event::End(TagEnd::Link) => {
                let Some((whole, Some(text))) = open.take() else {
                    continue;
                };
                let rest = &page[text.end..whole.end];
                let path = rest
                    .split_once(out)
                    .map(|(_, path)| path.trim_end_matches(')'));
                if let Some(path) = path {
                    links.push(Link { whole, text, path });
                }
            }
            _ => {
                if let Some((_, text)) = &mut open {
                    let start = text.as_ref().map_or(range.start, |text| text.start);
                    *text = Some(start..range.end);
                }
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn links_into_the_book_stay() {
        let page =
            "See [the panel](panel.md#keys), [it](https://example.org/../x) and `[x](../y)`.\n";
        assert_eq!(within(page, 0), page);
        let page = "[the panel](panel.md), [it](../benchmarks.md) and ![a picture](../pictures/panel.png).\n";
        assert_eq!(within(page, 1), page);
    }

    #[test]
    fn a_path_is_said_where_a_link_led_out() {
        assert_eq!(
            within(
                "| a | [the *window*](../tests/a.rs) |\n|---|---|\n| b | [`x` again](../tests/a.rs) |",
                0
            ),
            "| a | the *window* (`tests/a.rs`) |\n|---|---|\n| b | `x` again |"
        );
        assert_eq!(within("[`README.md`](../README.md)", 0), "`README.md`");
        assert_eq!(within("[`README.md`](../../README.md)", 1), "`README.md`");
    }
}
