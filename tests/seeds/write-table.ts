import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requirementsSchema, tableOf } from './table.ts'

/** `npm run seeds`: writes the table of requirements, screens and tests into README.md. */
const folder = import.meta.dirname
const requirements = requirementsSchema.parse(
  JSON.parse(readFileSync(join(folder, 'requirements.json'), 'utf8')),
)
writeFileSync(join(folder, 'README.md'), tableOf(requirements))
process.stdout.write(`${requirements.length} requirements written to tests/seeds/README.md\n`)
