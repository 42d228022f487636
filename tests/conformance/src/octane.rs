//! The Octane suite, as the npm package `benchmark-octane` holds it.

/// The programs with their files, in the order of the suite's own runner; `base.js` comes before each.
pub const PROGRAMS: [(&str, &[&str]); 15] = [
    ("Richards", &["richards.js"]),
    ("DeltaBlue", &["deltablue.js"]),
    ("Crypto", &["crypto.js"]),
    ("RayTrace", &["raytrace.js"]),
    ("EarleyBoyer", &["earley-boyer.js"]),
    ("RegExp", &["regexp.js"]),
    ("Splay", &["splay.js"]),
    ("NavierStokes", &["navier-stokes.js"]),
    ("PdfJS", &["pdfjs.js"]),
    ("Mandreel", &["mandreel.js"]),
    ("Gameboy", &["gbemu-part1.js", "gbemu-part2.js"]),
    ("CodeLoad", &["code-load.js"]),
    ("Box2D", &["box2d.js"]),
    ("zlib", &["zlib.js", "zlib-data.js"]),
    (
        "Typescript",
        &[
            "typescript.js",
            "typescript-input.js",
            "typescript-compiler.js",
        ],
    ),
];
