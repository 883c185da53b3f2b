// Validates report JSON against the published schema. Usage: node schema.mjs SCHEMA.json REPORT.json...
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';

const [schema, ...files] = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node schema.mjs SCHEMA.json REPORT.json...');
  process.exit(2);
}
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(read(schema));
let failed = 0;
for (const file of files) {
  const fine = validate(read(file));
  console.log(`${fine ? 'ok   ' : 'FAIL '} ${file}: matches the schema`);
  if (!fine) {
    failed += 1;
    for (const error of validate.errors.slice(0, 10)) console.log(`        ${error.instancePath} ${error.message}`);
  }
}
console.log(`${files.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
