import process from 'node:process'
import { smallMemory } from './small-memory.ts'

/**
 * `npm run demo`. Replaces itself by the same program in less memory before anything else is loaded: the process and its
 * signals stay the same. Windows knows no such replacement, so the demo runs there as it is.
 */
const small = smallMemory(process)
if (small !== null && process.execve !== undefined && process.platform !== 'win32')
  process.execve(process.execPath, small.args, small.env)
await import('./run-demo.ts')
