// Sorting, paging and totals of a table.
const table = { rows: [{ n: 3 }, { n: 1 }], sorted: false, page: 0, size: 10, totals: [], selected: null };
const columns = { n: { sortable: false, sum: undefined } };
function sort(name) {
  if (columns[name].sortable) { // sorted: branch
    table.rows.sort((a, b) => a[name] - b[name]); // why: sorted
    table.sorted = true;
  }
}
function next() {
  const pages = Math.ceil(table.rows.length / table.size);
  if (table.page + 1 < pages) { // paged: branch
    table.page += 1; // why: paged
  }
}
function sums() {
  for (const [name, column] of Object.entries(columns)) {
    if (!column.sum) continue; // summed: branch
    table.totals.push(column.sum(table.rows, name)); // why: summed
  }
}
function select(row) {
  label: {
    if (row.locked !== true) break label; // locked: branch
    table.selected = row; // why: locked
  }
}
function group(rows) {
  const groups = new Map();
  rows.forEach((row) => {
    const known = groups.get(row.n);
    if (known) { // grouped: branch
      known.push(row); // why: grouped
    } else {
      groups.set(row.n, [row]);
    }
  });
  return groups;
}
const format = {
  number(value) {
    return typeof value === "string" // formatted: branch
      ? value.padStart(4) // why: formatted
      : String(value);
  },
};
function exportRows(writer) {
  writer?.begin(); // exported: branch
}
const csv = {
  begin() {
    table.exported = true; // why: exported
  },
};
sort("n");
next();
sums();
select(table.rows[0]);
group(table.rows);
format.number(3);
exportRows(columns.n.writer ?? null);
