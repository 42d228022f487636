'use strict';
class Entry {
  constructor(key, value) {
    this.key = key;
    this.value = value;
    this.next = null;
  }
}
class HashTable {
  constructor(capacity) {
    this.capacity = capacity;
    this.size = 0;
    this.buckets = [];
    for (let at = 0; at < capacity; at++) this.buckets[at] = null;
  }
  hash(key) {
    let sum = 0;
    for (let at = 0; at < key.length; at++) sum = sum * 31 + key.charCodeAt(at);
    return sum;
  }
  index(key) {
    return this.hash(key) % this.capacity;
  }
  entry(key) {
    let entry = this.buckets[this.index(key)];
    while (entry !== null && entry.key !== key) entry = entry.next;
    return entry;
  }
  get(key) {
    const entry = this.entry(key);
    return entry === null ? null : entry.value;
  }
  put(key, value) {
    const known = this.entry(key);
    if (known !== null) {
      known.value = value;
      return;
    }
    if (this.size + 1 > this.capacity * 2) this.grow();
    this.add(new Entry(key, value));
  }
  add(entry) {
    const index = this.index(entry.key);
    entry.next = this.buckets[index];
    this.buckets[index] = entry;
    this.size++;
  }
  grow() {
    const old = this.buckets;
    this.capacity = this.capacity * 2;
    this.size = 0;
    this.buckets = [];
    for (let at = 0; at < this.capacity; at++) this.buckets[at] = null;
    for (const bucket of old) this.move(bucket);
  }
  move(entry) {
    while (entry !== null) {
      const next = entry.next;
      this.add(entry);
      entry = next;
    }
  }
  remove(key) {
    const index = this.index(key);
    this.buckets[index] = this.without(this.buckets[index], key);
  }
  without(entry, key) {
    if (entry === null) return null;
    if (entry.key === key) {
      this.size--;
      return entry.next;
    }
    entry.next = this.without(entry.next, key);
    return entry;
  }
}
const table = new HashTable(2);
const words = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox', 'gnu'];
for (const word of words) table.put(word, word.length + words.indexOf(word));
table.put('cat', 30);
for (const word of ['bee', 'fox']) table.remove(word);
const report = { found: words.map((word) => table.get(word)), size: table.size, capacity: table.capacity };
