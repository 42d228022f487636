//! The tables of a log: what the scripts say, whatever runs. Who rewrites scripts knows them; the page never sends
//! them.
//!
//! Every table begins with the number 1; 0 is none. Tables only grow while a log is written: scripts arrive one by one.

use crate::bytes::{BytesError, Reader, put_text, put_varint};
use crate::ids::{FunctionId, ScriptId, SiteId, StaticScopeId, VariableId};
use crate::record::WRITTEN_AS;

/// A realm that encodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// One of the words below; another one: that is not known.
    pub kind: String,
    /// The address of its document or script.
    pub url: String,
}

impl Stream {
    /// A document of the page's own tab that is in no frame.
    pub const PAGE: &str = "page";
    /// A document of another tab that is in no frame.
    pub const TAB: &str = "tab";
    /// A frame or a worker.
    pub const INNER: &str = "inner";
}

/// A script, or an original source where a source map was followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its address, or the name of the original source.
    pub url: String,
    /// Whether it is a library: in the ignore list of a source map, or in `node_modules`.
    pub library: bool,
}

/// Codes of an enumeration, in the order of the file format: new ones go to the end.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            #[default]
            $($(#[$member_doc])* $member,)*
        }

        impl $name {
            /// All of them, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$member,)*];

            /// Its word.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$member => $word,)* }
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError> {
                let code = reader.byte()?;
                Self::ALL.get(usize::from(code)).copied().ok_or(BytesError::Code(u32::from(code)))
            }
        }
    };
}

// The first member of each would be its default; `#[default]` is before it in the macro.
codes! {
    /// What kind of function it is.
    FunctionKind {
        /// A declaration or expression, an arrow included.
        Function "function",
        /// The top-level code of a classic script.
        Script "script",
        /// The top-level code of a module.
        Module "module",
        /// A method.
        Method "method",
        /// A getter.
        Getter "getter",
        /// A setter.
        Setter "setter",
        /// A constructor of a class.
        Constructor "constructor",
        /// Fields and static blocks of a class.
        Initialiser "initialiser",
        /// The code of an attribute such as `onclick`.
        Handler "handler",
    }
}

codes! {
    /// What kind of scope it is.
    StaticScopeKind {
        /// A function: parameters and what its body declares.
        Function "local",
        /// A block or a loop's head.
        Block "block",
        /// A `catch` clause.
        Catch "catch",
        /// A module.
        Module "module",
        /// Top-level `let`, `const` and `class` of classic scripts.
        Script "script",
        /// The global object.
        Global "global",
    }
}

codes! {
    /// What is recorded at a site.
    SiteKind {
        /// A call, `new` included.
        Call "call",
        /// A `return`, or where a function ends without one.
        Return "return",
        /// `throw`
        Throw "throw",
        /// A `catch` clause.
        Catch "catch",
        /// A property is written.
        Write "write",
        /// A variable is written: assignment, declaration, parameter, loop variable.
        Assign "assign",
        /// An object is made.
        Create "create",
        /// A condition.
        Branch "branch",
        /// A line.
        Step "step",
        /// `await` or `yield`.
        Suspend "suspend",
    }
}

codes! {
    /// What the value at a site is, by the syntax tree: where `origin` goes on.
    SourceKind {
        /// Nothing is known.
        Unknown "unknown",
        /// A literal.
        Literal "literal",
        /// A variable: `names` has its name.
        Variable "variable",
        /// `this`
        This "this",
        /// A property: `names` has the text of the object and the name.
        Property "property",
        /// An element: `names` has the text of the object and of the key.
        Element "element",
        /// A call: `site` is its site.
        Call "call",
        /// `new`: `site` is its site.
        New "new",
        /// `await`: `site` is its site.
        Await "await",
        /// `yield`: `site` is its site.
        Yield "yield",
        /// A parameter: `index` says which.
        Parameter "parameter",
        /// A rest parameter, from `index`.
        Rest "rest",
        /// Taken apart: `names` has the way from the value that was taken apart.
        Destructuring "destructuring",
        /// The value is worked out of others: `names` has the texts of the operands.
        Computation "computation",
        /// An object, array, function or class is made here.
        Creation "creation",
        /// What a loop hands out (`for-of`, `for-in`).
        Iteration "iteration",
        /// What was caught.
        Caught "caught",
        /// An import: `names` has the module's specifier and the exported name.
        Import "import",
    }
}

/// A function as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its script.
    pub script: ScriptId,
    /// 1-based line of its first character.
    pub line: u32,
    /// 1-based column, in UTF-16 code units.
    pub column: u32,
    /// 1-based line of its last character.
    pub end_line: u32,
    /// Its name, with its class as in `Cart.add`; empty: it has none.
    pub name: String,
    /// What kind it is.
    pub kind: FunctionKind,
    /// Whether it is `async`.
    pub is_async: bool,
    /// Whether it is a generator.
    pub is_generator: bool,
    /// The scope of its parameters and body.
    pub scope: StaticScopeId,
    /// The names of its parameters, in order; a pattern as its text.
    pub parameters: Vec<String>,
    /// A hash of its text without white space and comments: two versions of a page are compared by it. 0: none.
    pub shape: u32,
}

/// A scope as it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaticScope {
    /// The scope around it.
    pub parent: StaticScopeId,
    /// The function that it belongs to.
    pub function: FunctionId,
    /// What kind it is.
    pub kind: StaticScopeKind,
}

/// A variable as it is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source that its author wrote.
    pub name: String,
    /// The scope that holds it.
    pub scope: StaticScopeId,
}

/// What the value at a site is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// The site of the call, `await` or `yield` that gives it.
    pub site: SiteId,
    /// Which parameter, from 0.
    pub index: u32,
    /// Names and texts: see [`SourceKind`].
    pub names: Vec<String>,
}

/// A place where something is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Its script.
    pub script: ScriptId,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 code units.
    pub column: u32,
    /// The function that it is in.
    pub function: FunctionId,
    /// The innermost scope that it is in.
    pub scope: StaticScopeId,
    /// What is recorded.
    pub kind: SiteKind,
    /// The property or variable that is written, the function that is called, the class that is made, the text of the
    /// condition; empty: only the execution knows. A private property with its `#`.
    pub name: String,
    /// The same text as its author wrote it, where that is another; else empty.
    pub written: String,
    /// Of an assignment: the variable.
    pub variable: VariableId,
    /// Of a branch: which of its function's, from 0; see [`crate::record::Record::BranchBits`].
    pub branch: u32,
    /// What the value is that is written, returned, thrown or passed; of a call one for each argument.
    pub sources: Vec<Source>,
}

/// All tables, or those of their entries that are new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Realms, by [`crate::ids::StreamId`].
    pub streams: Vec<Stream>,
    /// Scripts.
    pub scripts: Vec<Script>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Scopes.
    pub scopes: Vec<StaticScope>,
    /// Variables.
    pub variables: Vec<Variable>,
    /// Sites.
    pub sites: Vec<Site>,
}

impl Site {
    /// What it is about, as its author wrote it where that is known.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self.written.as_str() {
            "" => &self.name,
            written => written,
        }
    }
}

impl Tables {
    /// Whether nothing is in them.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.streams.is_empty()
            && self.scripts.is_empty()
            && self.functions.is_empty()
            && self.scopes.is_empty()
            && self.variables.is_empty()
            && self.sites.is_empty()
    }

    /// How many streams, scripts, functions, scopes, variables and sites there are.
    pub(crate) const fn lengths(&self) -> [usize; 6] {
        [
            self.streams.len(),
            self.scripts.len(),
            self.functions.len(),
            self.scopes.len(),
            self.variables.len(),
            self.sites.len(),
        ]
    }

    /// The script of that number.
    #[must_use]
    pub fn script(&self, id: ScriptId) -> Option<&Script> {
        self.scripts.get(id.index()?)
    }

    /// The function of that number.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.index()?)
    }

    /// The scope of that number.
    #[must_use]
    pub fn scope(&self, id: StaticScopeId) -> Option<&StaticScope> {
        self.scopes.get(id.index()?)
    }

    /// The variable of that number.
    #[must_use]
    pub fn variable(&self, id: VariableId) -> Option<&Variable> {
        self.variables.get(id.index()?)
    }

    /// The site of that number.
    #[must_use]
    pub fn site(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(id.index()?)
    }

    pub(crate) fn append(&mut self, mut more: Self) {
        self.streams.append(&mut more.streams);
        self.scripts.append(&mut more.scripts);
        self.functions.append(&mut more.functions);
        self.scopes.append(&mut more.scopes);
        self.variables.append(&mut more.variables);
        self.sites.append(&mut more.sites);
    }

    /// The bytes of the file format.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_all(&mut bytes, &self.streams, |bytes, stream| {
            put_text(bytes, &stream.kind);
            put_text(bytes, &stream.url);
        });
        put_all(&mut bytes, &self.scripts, |bytes, script| {
            put_text(bytes, &script.url);
            bytes.push(u8::from(script.library));
        });
        put_all(&mut bytes, &self.functions, |bytes, function| {
            let numbers = [function.line, function.column, function.end_line];
            put_varint(bytes, function.script.0);
            numbers.into_iter().for_each(|it| put_varint(bytes, it));
            put_text(bytes, &function.name);
            bytes.push(function.kind as u8);
            bytes.push(u8::from(function.is_async) | u8::from(function.is_generator) << 1);
            put_varint(bytes, function.scope.0);
            put_all(bytes, &function.parameters, |bytes, name| {
                put_text(bytes, name);
            });
            put_varint(bytes, function.shape);
        });
        put_all(&mut bytes, &self.scopes, |bytes, scope| {
            put_varint(bytes, scope.parent.0);
            put_varint(bytes, scope.function.0);
            bytes.push(scope.kind as u8);
        });
        put_all(&mut bytes, &self.variables, |bytes, variable| {
            put_text(bytes, &variable.name);
            put_varint(bytes, variable.scope.0);
        });
        put_all(&mut bytes, &self.sites, |bytes, site| {
            let numbers = [site.script.0, site.line, site.column, site.function.0];
            numbers.into_iter().for_each(|it| put_varint(bytes, it));
            put_varint(bytes, site.scope.0);
            bytes.push(site.kind as u8);
            match site.written.as_str() {
                "" => put_text(bytes, &site.name),
                written => put_text(bytes, &format!("{}{WRITTEN_AS}{written}", site.name)),
            }
            put_varint(bytes, site.variable.0);
            put_varint(bytes, site.branch);
            put_all(bytes, &site.sources, |bytes, source| {
                bytes.push(source.kind as u8);
                put_varint(bytes, source.site.0);
                put_varint(bytes, source.index);
                put_all(bytes, &source.names, |bytes, name| put_text(bytes, name));
            });
        });
        bytes
    }

    /// What [`Self::encode`] wrote.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader::new(bytes);
        let text = |reader: &mut Reader<'_>| reader.text().map(str::to_owned);
        let tables = Self {
            streams: take_all(&mut reader, |reader| {
                Ok(Stream {
                    kind: text(reader)?,
                    url: text(reader)?,
                })
            })?,
            scripts: take_all(&mut reader, |reader| {
                Ok(Script {
                    url: text(reader)?,
                    library: reader.byte()? != 0,
                })
            })?,
            functions: take_all(&mut reader, |reader| {
                let script = ScriptId(reader.varint()?);
                let (line, column) = (reader.varint()?, reader.varint()?);
                let end_line = reader.varint()?;
                let name = text(reader)?;
                let kind = FunctionKind::read(reader)?;
                let flags = reader.byte()?;
                Ok(Function {
                    script,
                    line,
                    column,
                    end_line,
                    name,
                    kind,
                    is_async: flags & 1 != 0,
                    is_generator: flags & 2 != 0,
                    scope: StaticScopeId(reader.varint()?),
                    parameters: take_all(reader, text)?,
                    shape: reader.varint()?,
                })
            })?,
            scopes: take_all(&mut reader, |reader| {
                Ok(StaticScope {
                    parent: StaticScopeId(reader.varint()?),
                    function: FunctionId(reader.varint()?),
                    kind: StaticScopeKind::read(reader)?,
                })
            })?,
            variables: take_all(&mut reader, |reader| {
                Ok(Variable {
                    name: text(reader)?,
                    scope: StaticScopeId(reader.varint()?),
                })
            })?,
            sites: take_all(&mut reader, |reader| {
                let mut site = Site {
                    script: ScriptId(reader.varint()?),
                    line: reader.varint()?,
                    column: reader.varint()?,
                    function: FunctionId(reader.varint()?),
                    scope: StaticScopeId(reader.varint()?),
                    kind: SiteKind::read(reader)?,
                    name: text(reader)?,
                    written: String::new(),
                    variable: VariableId(reader.varint()?),
                    branch: reader.varint()?,
                    sources: take_all(reader, |reader| {
                        Ok(Source {
                            kind: SourceKind::read(reader)?,
                            site: SiteId(reader.varint()?),
                            index: reader.varint()?,
                            names: take_all(reader, text)?,
                        })
                    })?,
                };
                if let Some((name, written)) = site.name.split_once(WRITTEN_AS) {
                    (site.name, site.written) = (name.to_owned(), written.to_owned());
                }
                Ok(site)
            })?,
        };
        Ok(tables)
    }
}

fn put_all<T>(bytes: &mut Vec<u8>, items: &[T], mut put: impl FnMut(&mut Vec<u8>, &T)) {
    put_varint(bytes, u32::try_from(items.len()).unwrap_or(u32::MAX));
    items.iter().for_each(|item| put(bytes, item));
}

fn take_all<T>(
    reader: &mut Reader<'_>,
    mut take: impl FnMut(&mut Reader<'_>) -> Result<T, BytesError>,
) -> Result<Vec<T>, BytesError> {
    let count = reader.varint()? as usize;
    // Each takes at least one byte.
    if count > reader.remaining() {
        return Err(BytesError::End);
    }
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(take(reader)?);
    }
    Ok(items)
}
