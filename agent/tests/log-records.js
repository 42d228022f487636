// The records of an event log, as far as the unit tests look at them: `event-log/src/wire/mod.rs` describes the words.

// The words of a batch: `event-log/src/wire/packing.rs` describes how it is packed.
export function unpacked(text) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('latin1', 0, 4) !== 'QPZ1') throw new Error('no batch');
  let at = 4;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const length = number();
  const words = [];
  while (words.length < length) {
    for (let left = number(); left > 0; left--) words.push(number() | 0);
    if (words.length === length) break;
    const count = number();
    const back = number();
    for (let index = 0; index < count; index++) words.push(words[words.length - back]);
  }
  return words;
}

const CONSTANTS = ['undefined', 'null', 'true', 'false', 'NaN', '-0', 'absent', 'uninitialised', 'accessor', 'unknown'];
// A record's kind, and what its words are: `v` a value, `w` a word; `*` values as many as the operand says.
const KINDS = {
  4: ['scope', 'w'], 5: ['activation', ''], 6: ['passed', 'v*'], 8: ['enter', ''], 10: ['returned', ''],
  11: ['returnedValue', 'v'], 12: ['unwind', ''], 13: ['threw', 'v'], 14: ['caught', 'v'], 16: ['callEnd', 'v'],
  17: ['write', 'vv'], 18: ['writeKey', 'vvv'], 19: ['writeEntry', 'vvv'], 20: ['assign', 'wv'], 21: ['create', 'v'],
  22: ['branch not', ''], 23: ['branch', ''], 25: ['step', ''], 26: ['contents', 'vw**'], 27: ['task', 'wwwv'],
  28: ['taskEnd', ''],
};
// `t`: a text by its number.
const RARE = {
  1: ['suspend', 'wv'], 2: ['resume', 'wwv'], 3: ['settle', 'wvv'], 5: ['dom', 'tvv'], 6: ['request', 'wvv'],
  7: ['response', 'wwv'], 8: ['action', 'ttv'], 11: ['gap', 'ww'],
};

// Reads batches one after the other. An object is `{ object: its number, class }`, a function `{ function, name }`.
export function recordsReader() {
  const texts = [''];
  const objects = [undefined];
  return (words) => {
    const records = [];
    let at = 8;
    const value = () => {
      const word = words[at++];
      const payload = word >> 4;
      switch (word & 15) {
        case 0: return CONSTANTS[payload];
        case 1: return payload;
        case 2: {
          const halves = new Int32Array([words[at++], words[at++]]);
          return new Float64Array(halves.buffer)[0];
        }
        case 3: return `"${texts[payload]}"`;
        case 4: return `"${texts[payload]}"… of ${words[at++]}`;
        case 8: return `${texts[payload]}n`;
        default: return { object: payload, ...objects[payload] };
      }
    };
    const read = (shape, count) => {
      const found = [];
      for (const kind of shape) {
        if (kind === 'w') found.push(words[at++]);
        else if (kind === 't') found.push(texts[words[at++]]);
        else if (kind === 'v') found.push(value());
        else for (let index = 0; index < count; index++) found.push(value());
      }
      return found;
    };
    while (at < words.length) {
      const head = words[at++];
      const operand = head >>> 5;
      const code = head & 31;
      if (code === 1) {
        let text = '';
        for (let index = 0; index < operand; index++) {
          const word = words[at + (index >> 1)];
          text += String.fromCharCode(index % 2 === 0 ? word & 0xffff : word >>> 16);
        }
        at += Math.ceil(operand / 2);
        texts.push(text);
      } else if (code === 2) {
        objects.push({ class: texts[operand] });
      } else if (code === 3) {
        objects.push({ function: operand, name: texts[words[at++]] });
      } else if (code === 31) {
        const rare = words[at++];
        const end = at + (rare >>> 8);
        const [kind, shape] = RARE[rare & 255] ?? [`rare ${rare & 255}`, ''];
        records.push([kind, operand, ...read(shape, 0)]);
        at = end;
      } else {
        const [kind, shape] = KINDS[code];
        const record = [kind, operand, ...read(shape, operand)];
        if (kind === 'task') record[1] = texts[operand];
        records.push(record);
      }
    }
    return records;
  };
}
