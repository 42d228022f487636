//! Whose files, folders and sockets are ours: what other users of the machine can neither read, hold nor take the place
//! of.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The bits of a mode that let in others than the owner.
const OTHERS: u32 = 0o077;

/// The state of a socket that listens, as `/proc/net/tcp` has it.
const LISTENS: &str = "0A";

/// The user whose rights we have.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Creates a file that only its owner can read, or empties one. One of an older version becomes so.
///
/// # Errors
/// If it cannot be written, or belongs to somebody else.
pub fn create_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    let metadata = file.metadata()?;
    check_owner(&metadata)?;
    if metadata.is_file() && metadata.mode() & OTHERS != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    file.set_len(0)?;
    Ok(file)
}

/// Writes a file that only its owner can read. What is no file, such as `/dev/stdout` or a pipe, is written as it is,
/// and so is a file of somebody else.
///
/// # Errors
/// If it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && !is_private(&metadata) && check_owner(&metadata).is_ok() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    file.write_all(bytes)
}

/// Makes a folder that nobody else can look into, if it is not there. One that is there has to be like that, or it
/// becomes so if it is empty or holds one of these names, which say that it is ours.
///
/// # Errors
/// If it cannot be made, belongs to somebody else, or others can look into it.
pub fn make_folder(folder: &Path, ours: &[&str]) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let metadata = fs::metadata(folder)?;
    check_owner(&metadata)?;
    if metadata.mode() & OTHERS == 0 {
        return Ok(());
    }
    let is_ours = fs::read_dir(folder)?.next().is_none()
        || ours.iter().any(|name| folder.join(name).exists());
    match is_ours {
        true => fs::set_permissions(folder, Permissions::from_mode(0o700)),
        false => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "other users can look into it, and it holds files that are not ours",
        )),
    }
}

/// Whether others can neither read, lock nor replace this file of ours in this folder of ours.
pub fn is_private(metadata: &fs::Metadata) -> bool {
    check_owner(metadata).is_ok() && metadata.mode() & OTHERS == 0
}

fn check_owner(metadata: &fs::Metadata) -> io::Result<()> {
    match metadata.uid() == user() {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it belongs to another user",
        )),
    }
}

/// Whether a process of ours holds a lock on this file. Where the system does not list its locks, that is not known.
pub fn is_locked_by_us(file: &fs::Metadata) -> bool {
    let Ok(locks) = fs::read_to_string("/proc/locks") else {
        return true;
    };
    locks.lines().any(|line| {
        holder_of(line, file).is_some_and(|process| {
            fs::metadata(format!("/proc/{process}")).is_ok_and(|of| check_owner(&of).is_ok())
        })
    })
}

/// The process of a line of `/proc/locks`, such as `1: FLOCK  ADVISORY  WRITE 28808 fe:00:10010641 0 EOF`, if it is a
/// lock of
/// this file alone.
fn holder_of(line: &str, file: &fs::Metadata) -> Option<u32> {
    let mut words = line.split_whitespace().skip(1);
    if (words.next()?, words.next()?, words.next()?) != ("FLOCK", "ADVISORY", "WRITE") {
        return None;
    }
    let process = words.next()?.parse().ok()?;
    // The device is left out: some file systems give files another one than the list has.
    let inode: u64 = words.next()?.rsplit(':').next()?.parse().ok()?;
    (inode == file.ino()).then_some(process)
}

/// Whether what listens on this port of 127.0.0.1 is a process of ours.
pub fn is_listened_by_us(port: u16) -> bool {
    owner_of_listener(port) == Some(user())
}

/// The sockets of this machine, one a line; none: the system has no such file (only Linux has), and does not say whose
/// they are.
fn sockets() -> Option<String> {
    fs::read_to_string("/proc/net/tcp").ok()
}

/// The user whose process listens on this port of 127.0.0.1; none: nobody does. Where the system does not say, it is
/// taken for ours.
pub fn owner_of_listener(port: u16) -> Option<u32> {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let Some(table) = sockets() else {
        return Some(user());
    };
    owner_of(&table, |it| it.local == address && it.state == LISTENS).map(|(owner, _)| owner)
}

/// The process that listens on this port of 127.0.0.1, if it is of this user.
pub fn process_of_listener(port: u16) -> Option<u32> {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let (_, inode) = owner_of(&sockets()?, |it| it.local == address && it.state == LISTENS)?;
    process_with(inode)
}

/// Whether one of these processes, or one that they started, connects from one address of this machine to another.
/// Where the system does not say, it does.
pub fn is_connection_of(from: SocketAddrV4, to: SocketAddrV4, processes: &[u32]) -> bool {
    let Some(table) = sockets() else {
        return true;
    };
    let process = || {
        let (_, inode) = owner_of(&table, |it| it.local == from && it.remote == to)?;
        process_with(inode)
    };
    let parent = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program, in parentheses, may hold anything.
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(1)?.parse().ok()
    };
    std::iter::successors(process(), parent).any(|it| processes.contains(&it))
}

/// The process that has this socket open, if it is of this user.
fn process_with(inode: u64) -> Option<u32> {
    let socket = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|process| {
        let open = fs::read_dir(format!("/proc/{process}/fd"));
        let mut links = open.into_iter().flatten().flatten();
        links.any(|link| fs::read_link(link.path()).is_ok_and(|it| it.as_os_str() == &*socket))
    })
}

/// The user of the socket that connects from one address of this machine to another; none: it is no socket of this
/// machine. Where the system does not say, it is taken for ours.
pub fn owner_of_connection(from: SocketAddrV4, to: SocketAddrV4) -> Option<u32> {
    let Some(table) = sockets() else {
        return Some(user());
    };
    owner_of(&table, |it| it.local == from && it.remote == to).map(|(owner, _)| owner)
}

/// A socket of `/proc/net/tcp`.
struct Socket<'t> {
    local: SocketAddrV4,
    remote: SocketAddrV4,
    state: &'t str,
}

/// The user of a socket, and its number.
fn owner_of(table: &str, is_it: impl Fn(&Socket<'_>) -> bool) -> Option<(u32, u64)> {
    table.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let socket = Socket {
            local: address(words.next()?)?,
            remote: address(words.next()?)?,
            state: words.next()?,
        };
        // What is queued, the timer and the retransmissions come before the user.
        let owner = words.nth(3)?.parse().ok()?;
        let inode = words.nth(1)?.parse().ok()?;
        is_it(&socket).then_some((owner, inode))
    })
}

/// `0100007F:1F90`: the bytes of the address as they lie in memory, then the port.
fn address(text: &str) -> Option<SocketAddrV4> {
    let (host, port) = text.split_once(':')?;
    let host = u32::from_str_radix(host, 16).ok()?.to_ne_bytes();
    Some(SocketAddrV4::new(
        host.into(),
        u16::from_str_radix(port, 16).ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener, TcpStream};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_are_their_owners_also_those_that_were_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        create_file(&path).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap().len()), (0o600, 0));
        assert!(is_private(&path.metadata().unwrap()));
        assert!(!is_private(&fs::metadata("/").unwrap()));
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let new = folder.path().join("new");
        for path in [&path, &new] {
            write_file(path, b"answer").unwrap();
            assert_eq!(
                (mode(path), fs::read(path).unwrap()),
                (0o600, b"answer".to_vec())
            );
        }
        write_file(Path::new("/dev/null"), b"answer").unwrap();
    }

    #[test]
    fn a_folder_is_closed_to_others_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        make_folder(&state, &["lock"]).unwrap();
        assert_eq!(mode(&state), 0o700);
        let open = || fs::set_permissions(&state, Permissions::from_mode(0o755)).unwrap();
        open();
        make_folder(&state, &["lock"]).unwrap();
        assert_eq!(mode(&state), 0o700, "it is empty");
        fs::write(state.join("other"), "").unwrap();
        open();
        let refused = make_folder(&state, &["lock"]).unwrap_err();
        assert!(refused.to_string().contains("other users"), "{refused}");
        fs::write(state.join("lock"), "").unwrap();
        make_folder(&state, &["lock"]).unwrap();
        assert_eq!(mode(&state), 0o700, "it is ours");
    }

    #[test]
    fn who_holds_a_lock_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = create_file(&folder.path().join("a")).unwrap();
        let of = file.metadata().unwrap();
        assert!(!is_locked_by_us(&of));
        file.lock().unwrap();
        assert!(is_locked_by_us(&of));
        let line = |kind: &str| format!("1: {kind} 28808 fe:00:{} 0 EOF", of.ino());
        assert_eq!(holder_of(&line("FLOCK  ADVISORY  WRITE"), &of), Some(28808));
        assert_eq!(holder_of(&line("FLOCK  ADVISORY  READ"), &of), None);
        assert_eq!(holder_of(&line("-> FLOCK  ADVISORY  WRITE"), &of), None);
        assert_eq!(holder_of("", &of), None);
    }

    #[test]
    fn who_listens_and_who_connects_is_known() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let SocketAddr::V4(to) = listener.local_addr().unwrap() else {
            panic!();
        };
        assert!(is_listened_by_us(to.port()));
        let stream = TcpStream::connect(to).unwrap();
        let SocketAddr::V4(from) = stream.local_addr().unwrap() else {
            panic!();
        };
        assert_eq!(owner_of_connection(from, to), Some(user()));
        let own = std::process::id();
        assert_eq!(process_of_listener(to.port()), Some(own));
        assert!(is_connection_of(from, to, &[own]));
        assert!(is_connection_of(
            from,
            to,
            &[std::os::unix::process::parent_id()]
        ));
        assert!(!is_connection_of(from, to, &[u32::MAX]));
        drop(listener);
        assert!(!is_listened_by_us(to.port()));
    }

    #[test]
    fn a_port_of_somebody_else_is_not_ours() {
        let heads = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
        let first = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  65534        0 213 1";
        let table = format!("{heads}\n{first} 0 100 0 0 10 0\n   1: broken\n");
        let at = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let owner = |port| owner_of(&table, |it| it.local == at(port) && it.state == LISTENS);
        assert_eq!(owner(0x1F90), Some((65534, 213)));
        assert_eq!(owner(1), None);
    }
}
