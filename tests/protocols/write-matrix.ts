import { writeFileSync } from 'node:fs'
import { protocolPage } from './matrix.ts'

/** `npm run protocols`: writes which channel type answers which operation, and how, into docs/protocols.md. */
writeFileSync(new URL('../../docs/protocols.md', import.meta.url), protocolPage())
process.stdout.write('docs/protocols.md written\n')
