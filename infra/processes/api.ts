import { startApi } from './api-process.ts'
import { STOP_MS } from './bounds.ts'
import { runProcess } from './run-process.ts'

/** `npm run start:api`: console, its calls and the ledger's writer, one of several. */
await runProcess({ title: 'Tollgate API', stopMs: STOP_MS, start: startApi })
