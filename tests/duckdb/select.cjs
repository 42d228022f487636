// Asks DuckDB: `node select.cjs NODE_MODULES FOLDER SELECT...`. Each Parquet file of the folder is a table by its name;
// the rows of each statement are a line of JSON.
const { createRequire } = require('node:module');
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const [modules, folder, ...statements] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(join(modules, 'x'))('@duckdb/node-api');

async function main() {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const file of readdirSync(folder)) {
    const [name, extension] = file.split('.');
    if (extension !== 'parquet') continue;
    const path = join(folder, file).replaceAll("'", "''");
    await connection.run(`CREATE VIEW "${name}" AS SELECT * FROM read_parquet('${path}')`);
  }
  for (const statement of statements) {
    const rows = (await connection.runAndReadAll(statement)).getRows();
    console.log(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
  }
}

main();
