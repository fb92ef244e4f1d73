import { STOP_MS } from './bounds.ts'
import { runProcess } from './run-process.ts'
import { startTollgate } from './tollgate.ts'

/** `npm start`: everything in one process, embedded unless the environment says otherwise. */
await runProcess({ title: 'Tollgate', stopMs: STOP_MS, start: startTollgate })
