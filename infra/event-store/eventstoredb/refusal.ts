import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { ReadDenied, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { messageOf } from '../message-of.ts'
import { type Host, readAddress } from './address.ts'

/**
 * Mistakes in EVENTSTORE_URL or at the server, by what gRPC, Node and OpenSSL say of them. Those of certificates come
 * with the gRPC code of a server that is not there, 14.
 */
const REFUSALS: readonly (readonly [said: RegExp, refusal: string])[] = [
  [
    /\b16 UNAUTHENTICATED\b/,
    'it does not know the user or the password. Write EVENTSTORE_URL as esdb://user:password@host:port, with a user that it has',
  ],
  [
    /\b7 PERMISSION_DENIED\b/,
    'it does not let the user of EVENTSTORE_URL read the log. Give that user the right to read $all and all user streams',
  ],
  [
    /unable to verify the first certificate|self-signed certificate|unable to get (local )?issuer certificate/,
    'its certificate is signed by no CA that Tollgate trusts. Name the CA that signed it with tlsCAFile=/path/to/ca.crt in EVENTSTORE_URL',
  ],
  [
    /does not match certificate's altnames/,
    'its certificate is not for the host in EVENTSTORE_URL. Write a host that the certificate names, or give the node a certificate for this one',
  ],
  [
    /certificate has expired|certificate is not yet valid/,
    'its certificate has expired, or is not valid yet. Give the node a new one, and compare the clocks',
  ],
  [
    /wrong version number|packet length too long/,
    'it speaks no TLS there. Add tls=false to EVENTSTORE_URL, or give the nodes certificates',
  ],
]

const SPEAKS_TLS =
  'it speaks TLS there. Take tls=false out of EVENTSTORE_URL, and name its CA with tlsCAFile=/path/to/ca.crt'

/** Which mistake that waiting does not mend shows in what a call failed with, and what to do; null when none does. */
export function refusalOf(error: unknown): string | null {
  const text = messageOf(error)
  return REFUSALS.find(([said]) => said.test(text))?.[1] ?? null
}

/** The failure of a read or a subscription, in words. */
export function readFailure(what: string, error: unknown): StoreUnavailable {
  const refusal = refusalOf(error)
  const text = `EventStoreDB ${what}: ${causeOf(error)}${refusal === null ? '' : `: ${refusal}`}`
  return isDenied(error) ? new ReadDenied(text, error) : new StoreUnavailable(text, 'none', error)
}

/** In one line, without what gRPC adds when it has nothing to add. */
const causeOf = (error: unknown): string =>
  messageOf(error)
    .replaceAll(/\s+/g, ' ')
    .replace(/\.? Resolution note: *$/, '')

/** Whether the server answered, and refused the user. */
export const isDenied = (error: unknown): boolean =>
  /\b(16 UNAUTHENTICATED|7 PERMISSION_DENIED)\b/.test(messageOf(error))

/** A server that is not there does not answer, and one whose process is stopped neither. */
const HANDSHAKE_MS = 3_000

/**
 * The same, asking each host of an address by a TLS handshake where the failure itself does not tell: a discovery that
 * fails says nothing, and a server that wants TLS just closes.
 */
export async function findRefusal(
  connectionString: string,
  error: unknown,
): Promise<string | null> {
  const told = refusalOf(error)
  if (told !== null) return told
  const { hosts, isSecure, caFile } = readAddress(connectionString)
  const ca = caFile === null ? undefined : readFileSync(caFile)
  const found = await Promise.all(
    hosts.map(async (host) => {
      const failure = await handshake(host, isSecure ? { ca } : { rejectUnauthorized: false })
      if (isSecure) return failure === null ? null : refusalOf(failure)
      return failure === null ? SPEAKS_TLS : null
    }),
  )
  return found.find((refusal) => refusal !== null) ?? null
}

/** The error of a handshake; null when it did not fail. */
async function handshake(
  { name, port }: Host,
  trust: { readonly ca?: Buffer | undefined; readonly rejectUnauthorized?: false },
): Promise<unknown> {
  let socket: TLSSocket | null = null
  try {
    const servername = isIP(name) === 0 ? { servername: name } : {}
    socket = connect({ host: name, port, ALPNProtocols: ['h2'], ...servername, ...trust })
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(HANDSHAKE_MS) })
    return null
  } catch (error) {
    return error
  } finally {
    socket?.on('error', () => undefined).destroy()
  }
}
