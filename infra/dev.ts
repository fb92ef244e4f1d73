import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * `npm run dev`: the server, started again whenever one of its files changes, and beside it the console's own
 * development server, which reloads in the browser and passes API calls on. Ctrl-C ends both.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url))

const children = [
  run(['--watch', '--watch-preserve-output', 'infra/processes/all-in-one.ts'], root),
  run([vite], `${root}console`),
]

for (const child of children) child.once('exit', (code) => stop(code ?? 0))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0))

function run(args: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, args, { cwd, stdio: 'inherit' })
}

function stop(code: number): void {
  for (const child of children) child.kill('SIGTERM')
  process.exitCode = code
}
