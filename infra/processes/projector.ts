import { STOP_MS } from './bounds.ts'
import { startProjector } from './projector-process.ts'
import { runProcess } from './run-process.ts'

/** `npm run start:projector`: feeds the read models, or stands by for another that does. */
await runProcess({ title: 'Tollgate projector', stopMs: STOP_MS, start: startProjector })
