// A list of files, after the example of Sakurai and Masuhara, The Omission Finder (SAC 2015): it stays empty.
class Filter {
  constructor(extension) {
    this.extension = extension;
    this.active = true;
  }

  suspend() {
    this.active = false;
  }

  accepts(name) {
    return this.active && name.endsWith(this.extension);
  }
}

class FileList {
  constructor(filter) {
    this.filter = filter;
    this.files = [];
  }

  add(name) {
    if (this.filter.accepts(name)) {
      this.files.push(name);
    }
  }

  show(element) {
    for (const name of this.files) {
      const item = document.createElement("li");
      item.textContent = name;
      element.append(item);
    }
  }
}

const filter = new Filter(".txt");
const list = new FileList(filter);

function prepare() {
  // Nothing is to be shown while the names are read.
  filter.suspend();
}

function load(names) {
  prepare();
  for (const name of names) {
    list.add(name);
  }
}

load(["a.txt", "b.png", "c.txt"]);
list.show(document.querySelector("#files"));
