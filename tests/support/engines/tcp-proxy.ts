import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way between one process and one engine that a test can cut. */
export interface TcpProxy {
  readonly port: number
  /**
   * `reset`: connections end and new ones are refused; `silence`: connections stay open and nothing passes, as when a
   * cable is pulled.
   */
  cut(how: 'reset' | 'silence'): void
  mend(): void
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1 and passes everything on to `target`. */
export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'whole' | 'reset' | 'silence' = 'whole'
  const server = createServer((near) => {
    if (state === 'reset') {
      near.resetAndDestroy()
      return
    }
    const far = connect(target, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true)
      from.pipe(to)
      // Either side may end or break at any moment: the other then ends with it.
      from.on('error', () => to.destroy())
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
      if (state === 'silence') hush(from, to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('no port to be had')
  return {
    port: address.port,
    cut(how) {
      state = how
      for (const [near, far] of pairs) {
        if (how === 'reset') {
          near.resetAndDestroy()
          far.destroy()
        } else {
          hush(near, far)
          hush(far, near)
        }
      }
    },
    mend() {
      state = 'whole'
      for (const [near, far] of pairs) {
        near.pipe(far)
        far.pipe(near)
      }
    },
    async close() {
      server.close()
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
      await once(server, 'close')
    },
  }
}

function hush(from: Socket, to: Socket): void {
  from.unpipe(to)
  from.pause()
}
