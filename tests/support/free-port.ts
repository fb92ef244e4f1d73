import { once } from 'node:events'
import { createServer } from 'node:net'
import process from 'node:process'

/**
 * Ports below those that systems give to outgoing connections (from 32,768 on Linux, 49,152 elsewhere): one of these
 * would be lost to any connection that is made before its server listens.
 */
const FIRST = 20_000
const COUNT = 12_000

/** Each process begins elsewhere, so that two hardly come upon one port, and goes on from there. */
let next = (process.pid * 101) % COUNT

/** A port on which nobody listens, and which this process gives out once. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    if (await isFree(port)) return port
  }
  throw new Error('no port to be had')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
