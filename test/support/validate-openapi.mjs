/**
 * Judges the OpenAPI document on standard input by the schema that the OpenAPI initiative publishes. A program of its own,
 * because the validator is an ES module, which jest does not load.
 */
import { Validator } from '@seriousme/openapi-schema-validator';

let text = '';
for await (const part of process.stdin) text += part;
const validator = new Validator();
const { valid, errors } = await validator.validate(JSON.parse(text));
process.stdout.write(JSON.stringify({ valid, version: validator.version, errors }));
