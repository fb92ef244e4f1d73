import { STOP_MS } from './bounds.ts'
import { startRelay } from './relay-process.ts'
import { runProcess } from './run-process.ts'

/** `npm run start:relay`: one relay of several. */
await runProcess({ title: 'Tollgate relay', stopMs: STOP_MS, start: startRelay })
