use std::fs;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

/// A folder `site` with a page, beside it a file `secret.txt` that must not be served.
fn site() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    fs::write(site.join("a page.html"), "<p>hello").unwrap();
    for name in [
        "a.mjs", "a.js", "a.wasm", "a.tsx", "a.js.map", "a.css", "a.svg", "a.json",
    ] {
        fs::write(site.join(name), "x").unwrap();
    }
    std::os::unix::fs::symlink("../secret.txt", site.join("link.txt")).unwrap();
    std::os::unix::fs::symlink("a.js", site.join("inside.js")).unwrap();
    folder
}

async fn start(folder: &TempDir) -> PageServer {
    PageServer::start(&folder.path().join("site/a page.html"), &[])
        .await
        .unwrap()
}

/// Asks with the path exactly as given, as no well-behaved client would.
async fn get(server: &PageServer, path: &str, host: &str) -> String {
    get_with(server, path, host, "").await
}

async fn get_with(server: &PageServer, path: &str, host: &str, more: &str) -> String {
    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, server.page().port().unwrap()));
    asked(to, path, host, more).await
}

/// A server of the folder for these users and browsers; its address, and how it is called.
async fn guarded(folder: &TempDir, users: Vec<u32>, browsers: Vec<u32>) -> (SocketAddr, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let to = listener.local_addr().unwrap();
    let guard = Guard {
        root: folder.path().join("site").canonicalize().unwrap(),
        served: Arc::default(),
        hosts: [to.to_string(), String::new()],
        page: "a page.html".into(),
        users,
        browsers,
    };
    let router = Router::new().fallback(give).with_state(Arc::new(guard));
    tokio::spawn(http::serve(listener, router, http::LIMITS));
    (to, to.to_string())
}

async fn asked(to: SocketAddr, path: &str, host: &str, more: &str) -> String {
    let mut socket = TcpStream::connect(to).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).await.unwrap();
    response
}

fn own_host(server: &PageServer) -> String {
    format!("127.0.0.1:{}", server.page().port().unwrap())
}

#[tokio::test]
async fn the_page_is_served_byte_for_byte() {
    let folder = site();
    let server = start(&folder).await;
    assert_eq!(server.page().path(), "/a%20page.html");
    assert_eq!(server.page().host_str(), Some("127.0.0.1"));
    let response = get(&server, server.page().path(), &own_host(&server)).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains("content-type: text/html"), "{response}");
    assert!(response.ends_with("\r\n\r\n<p>hello"), "{response}");
}

#[tokio::test]
async fn types_are_those_a_browser_insists_on() {
    let folder = site();
    let server = start(&folder).await;
    for (path, kind) in [
        ("/a.mjs", "text/javascript"),
        ("/a.js", "text/javascript"),
        ("/inside.js", "text/javascript"),
        ("/a.wasm", "application/wasm"),
        ("/a.tsx", "text/plain; charset=utf-8"),
        ("/a.js.map", "application/json"),
        ("/a.css", "text/css"),
        ("/a.svg", "image/svg+xml"),
        ("/a.json", "application/json"),
    ] {
        let response = get(&server, path, &own_host(&server)).await;
        assert!(
            response.contains(&format!("content-type: {kind}\r\n")),
            "{path}: {response}"
        );
    }
}

#[tokio::test]
async fn nothing_outside_the_folder_is_served() {
    let folder = site();
    let server = start(&folder).await;
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/a/../../secret.txt",
        "//etc/passwd",
        "/link.txt",
        "/%2Fetc%2Fpasswd",
        "/missing.js",
        "/a%00.js",
    ] {
        let response = get(&server, path, &own_host(&server)).await;
        assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
        assert!(!response.contains("secret"), "{path}: {response}");
    }
}

#[tokio::test]
async fn a_folder_is_its_index_and_what_is_kept_is_not_given_out() {
    let folder = site();
    let site = folder.path().join("site");
    for (name, index) in [
        ("inner", Some("<p>index")),
        ("empty", None),
        (".querypoint", Some("secret")),
    ] {
        fs::create_dir(site.join(name)).unwrap();
        if let Some(index) = index {
            fs::write(site.join(name).join("index.html"), index).unwrap();
        }
    }
    fs::create_dir(site.join("linked")).unwrap();
    std::os::unix::fs::symlink("../../secret.txt", site.join("linked/index.html")).unwrap();
    let server = start(&folder).await;
    let response = get(&server, "/inner/", &own_host(&server)).await;
    assert!(response.ends_with("<p>index"), "{response}");
    let response = get(&server, "/inner", &own_host(&server)).await;
    assert!(response.starts_with("HTTP/1.1 307"), "{response}");
    for path in [
        "/empty/",
        "/linked/",
        "/.querypoint/",
        "/.querypoint/index.html",
        "/%2equerypoint/index.html",
    ] {
        let response = get(&server, path, &own_host(&server)).await;
        assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
        assert!(!response.contains("secret"), "{path}: {response}");
    }
}

#[tokio::test]
async fn what_was_given_is_known_until_it_changes() {
    let folder = site();
    let server = start(&folder).await;
    let page = folder.path().join("site/a page.html");
    assert_eq!(
        server.file().canonicalize().unwrap(),
        page.canonicalize().unwrap()
    );
    for path in ["/a%20page.html", "/a.js?v=1", "/missing.json"] {
        get(&server, path, &own_host(&server)).await;
    }
    let served = server.served().unwrap();
    let given = served
        .iter()
        .map(|(path, digest)| (path.as_str(), digest.is_some()));
    assert_eq!(
        given.collect::<Vec<_>>(),
        [
            ("/a%20page.html", true),
            ("/a.js", true),
            ("/missing.json", false)
        ]
    );
    assert!(server.gives(&served));

    let site = folder.path().join("site");
    fs::write(site.join("a.css"), "not asked for").unwrap();
    assert!(server.gives(&served));
    fs::write(site.join("missing.json"), "{}").unwrap();
    assert!(!server.gives(&served), "there is something now");
    assert_eq!(server.served(), None);
    fs::remove_file(site.join("missing.json")).unwrap();
    fs::write(site.join("a.js"), "y").unwrap();
    assert!(
        !server.gives(&served),
        "as long as before, and another text"
    );
    fs::write(site.join("a.js"), "x").unwrap();
    assert!(server.gives(&served));
}

#[tokio::test]
async fn another_host_name_is_refused() {
    let folder = site();
    let server = start(&folder).await;
    let port = server.page().port().unwrap();
    for host in [
        "attacker.example".to_owned(),
        format!("attacker.example:{port}"),
        "127.0.0.1:1".to_owned(),
        String::new(),
    ] {
        let response = get(&server, "/a.js", &host).await;
        assert!(response.starts_with("HTTP/1.1 421"), "{host}: {response}");
    }
    let response = get(&server, "/a.js", &format!("LOCALHOST:{port}")).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
}

#[tokio::test]
async fn a_page_that_is_no_file_is_named() {
    let missing = PageServer::start(Path::new("no/such.html"), &[])
        .await
        .unwrap_err();
    assert!(missing.to_string().contains("no/such.html"), "{missing}");
    let folder = site();
    let error = PageServer::start(folder.path(), &[]).await.unwrap_err();
    assert!(matches!(error, PageServerError::NotAFile { .. }), "{error}");
}

#[tokio::test]
async fn urls_lead_back_to_files() {
    let folder = site();
    let server = start(&folder).await;
    let content = server.content_of(server.page()).unwrap();
    assert_eq!(content, b"<p>hello");
    let elsewhere = Url::parse("http://example.org/a.js").unwrap();
    assert_eq!(server.content_of(&elsewhere), None);
    let outside = server.page().join("/link.txt").unwrap();
    assert_eq!(server.content_of(&outside), None);
}

#[tokio::test]
async fn it_stops_when_dropped() {
    let folder = site();
    let server = start(&folder).await;
    let address = (Ipv4Addr::LOCALHOST, server.page().port().unwrap());
    drop(server);
    // The abort is carried out by the runtime; connections are refused from then on.
    let mut attempts = 0;
    while TcpStream::connect(address).await.is_ok() {
        attempts += 1;
        assert!(attempts < 1000, "still listening");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_is_hidden_is_not_given_out() {
    let folder = site();
    let site = folder.path().join("site");
    for file in [
        ".env",
        ".git/config",
        "inner/.hidden/index.html",
        "node_modules/.store/lib/a.js",
        "node_modules/.querypoint/a.answer",
    ] {
        let path = site.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "secret").unwrap();
    }
    std::os::unix::fs::symlink(".env", site.join("env.txt")).unwrap();
    std::os::unix::fs::symlink(".store/lib", site.join("node_modules/lib")).unwrap();
    let server = start(&folder).await;
    for path in [
        "/.env",
        "/%2eenv",
        "/.git/config",
        "/inner/.hidden/",
        "/env.txt",
        "/node_modules/.querypoint/a.answer",
    ] {
        let response = get(&server, path, &own_host(&server)).await;
        assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
        let url = server.page().join(path).unwrap();
        assert_eq!(server.content_of(&url), None, "{path}");
    }
    let package = get(&server, "/node_modules/lib/a.js", &own_host(&server)).await;
    assert!(package.starts_with("HTTP/1.1 200"), "{package}");

    let hidden = site.join(".page.html");
    fs::write(&hidden, "asked for").unwrap();
    let server = PageServer::start(&hidden, &[]).await.unwrap();
    let page = get(&server, "/.page.html", &own_host(&server)).await;
    assert!(page.ends_with("asked for"), "{page}");
}

#[tokio::test]
async fn pages_of_other_origins_get_nothing() {
    let folder = site();
    let (to, host) = guarded(&folder, vec![private::user()], Vec::new()).await;
    for (said, status, used) in [
        ("", 200, "same-origin"),
        ("Sec-Fetch-Site: same-origin\r\n", 200, "same-origin"),
        ("Sec-Fetch-Site: none\r\n", 200, "same-origin"),
        ("Sec-Fetch-Site: cross-site\r\n", 403, ""),
        ("Sec-Fetch-Site: same-site\r\n", 403, ""),
        (
            "Sec-Fetch-Site: same-site\r\nReferer: http://127.0.0.1:1/\r\n",
            403,
            "",
        ),
        // A frame of somebody else's page shows that page; a tab shows the user.
        (
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
            403,
            "",
        ),
        (
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
            200,
            "same-origin",
        ),
    ] {
        let response = asked(to, "/a.js", &host, said).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(response.starts_with(&expected), "{said}: {response}");
        let header = format!("cross-origin-resource-policy: {used}\r\n");
        assert!(
            used.is_empty() || response.contains(&header),
            "{said}: {response}"
        );
    }
    // What we started ourselves may have frames without an origin.
    let (to, host) = guarded(&folder, vec![private::user()], vec![std::process::id()]).await;
    let frame = asked(to, "/a.js", &host, "Sec-Fetch-Site: cross-site\r\n").await;
    assert!(frame.starts_with("HTTP/1.1 200"), "{frame}");
    assert!(
        frame.contains("resource-policy: cross-origin\r\n"),
        "{frame}"
    );
}

#[tokio::test]
async fn other_users_get_nothing() {
    let folder = site();
    let mut users = super::users(&[]);
    let own = private::user();
    assert_eq!(users, [own]);
    // The owner of a browser that was named is served too.
    let browser = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("ws://{}/devtools", browser.local_addr().unwrap());
    assert_eq!(
        super::users(&[address, "ws://example.org/".to_owned()]),
        [own, own]
    );
    users[0] = own + 1;
    let (to, host) = guarded(&folder, users, Vec::new()).await;
    let response = asked(to, "/a.js", &host, "").await;
    assert!(response.starts_with("HTTP/1.1 403"), "{response}");
}

#[test]
fn the_file_that_was_checked_is_the_one_that_is_read() {
    let folder = site();
    let root = folder.path().join("site").canonicalize().unwrap();
    let (link, page) = (root.join("flips.txt"), OsStr::new("a page.html"));
    let lead_to = |target: &str| {
        let new = root.join("new");
        std::os::unix::fs::symlink(target, &new).unwrap();
        fs::rename(&new, &link).unwrap();
    };
    lead_to("a.js");
    let opened = content_inside(&root, "/flips.txt", page).unwrap();
    lead_to("../secret.txt");
    assert_eq!(fs::read_to_string(opened.path()).unwrap(), "x");
    assert!(content_inside(&root, "/flips.txt", page).is_none());
    // Whenever it flips, what is read is never the secret.
    let done = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(order) {
                lead_to("a.js");
                lead_to("../secret.txt");
            }
        });
        for _ in 0..2000 {
            if let Some(opened) = content_inside(&root, "/flips.txt", page) {
                assert_eq!(fs::read_to_string(opened.path()).unwrap(), "x");
            }
        }
        done.store(true, order);
    });
}

#[tokio::test]
async fn what_is_no_file_is_not_waited_for() {
    let folder = site();
    let pipe = folder.path().join("site/pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let server = start(&folder).await;
    let response = get(&server, "/pipe", &own_host(&server)).await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
}

#[tokio::test]
async fn a_part_of_a_file_can_be_asked_for() {
    let folder = site();
    let server = start(&folder).await;
    let host = own_host(&server);
    let part = get_with(&server, "/a%20page.html", &host, "Range: bytes=3-5\r\n").await;
    assert!(part.starts_with("HTTP/1.1 206"), "{part}");
    assert!(part.ends_with("\r\n\r\nhel"), "{part}");
}
