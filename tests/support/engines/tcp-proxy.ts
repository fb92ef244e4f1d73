import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way between one process and one engine that a test can cut. */
export interface TcpProxy {
  readonly port: number
  /**
   * `reset`: connections end and new ones are refused; `silence`: connections stay open and nothing passes, as when a
   * cable is pulled; `forget`: what is connected now is never answered again and neither side is told, as when a
   * firewall forgets its connections, while new ones pass at once.
   */
  cut(how: Cut): void
  mend(): void
  close(): Promise<void>
}

export type Cut = 'reset' | 'silence' | 'forget'

/** Listens on a free port of 127.0.0.1 and passes everything on to `target`. */
export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const forgotten = new Set<Socket>()
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
      from.on('error', () => forgotten.has(to) || to.destroy())
      from.on('close', () => {
        pairs.delete(pair)
        if (!forgotten.has(to)) to.destroy()
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
      if (how !== 'forget') state = how
      for (const pair of pairs) {
        const [near, far] = pair
        if (how === 'forget') {
          for (const [from, to] of [[near, far] as const, [far, near] as const]) {
            from.unpipe(to)
            // Read and thrown away: whoever sends is not told.
            from.resume()
            forgotten.add(from)
          }
          pairs.delete(pair)
        } else if (how === 'reset') {
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
      for (const socket of forgotten) socket.destroy()
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
