import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { productArguments } from './product-arguments.ts'
import { freePort } from './free-port.ts'

const READY = /The demo is ready at (\S+):/u

/** A demo that runs by itself. */
export interface DemoProcess {
  readonly url: string
  stop(): Promise<void>
}

/** A demo of some requests, in a folder of its own that is removed afterwards. */
export async function startDemo(requests: number): Promise<DemoProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-demo-'))
  const script = join(import.meta.dirname, '../../infra/demo/demo.ts')
  const demo = spawn(
    process.execPath,
    [...productArguments(script), '--requests', String(requests)],
    {
      cwd: folder,
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(await freePort()),
        // More pages are opened from one address than people open.
        GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
        GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise<void>((resolve) => void demo.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    demo.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    demo.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text)
      printed += text
      const ready = READY.exec(printed)?.[1]
      if (ready !== undefined) resolve(ready)
    })
    void ended.then(() => reject(new Error('the demo ended before it was ready')))
  })
  return { url, stop }
}
