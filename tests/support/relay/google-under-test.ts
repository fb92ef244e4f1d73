import { generateKeyPairSync, verify } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { isObject, type JsonObject } from '@tollgate/relay/json.ts'
import type { Asked } from './relay-under-test.ts'

/** For tests: a service account and the server that gives it tokens, as Google's does. */
export interface GoogleUnderTest {
  /** The PEM in the account's key, which must not be shown. */
  readonly pem: string
  /** Claims of the requests for tokens that came, signatures checked. */
  readonly asked: JsonObject[]
  /** The life of the tokens given from now on, in seconds. */
  lifeSeconds: number
  /** Refuses, as Google refuses a deleted account. */
  refuses: boolean
  /** The key as an admin pastes it; tokens are asked for at `url`. */
  key(url: string): string
  /** Whether it was asked for a token, and answered. */
  answersToken(response: ServerResponse, asked: Asked): boolean
}

const partOf = (part: string | undefined): JsonObject => {
  const read: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
  return isObject(read) ? read : {}
}

export function googleUnderTest(): GoogleUnderTest {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const google: GoogleUnderTest = {
    pem,
    asked: [],
    lifeSeconds: 3_599,
    refuses: false,
    key: (url) =>
      JSON.stringify({
        type: 'service_account',
        project_id: 'my-project',
        private_key_id: 'f'.repeat(40),
        private_key: pem,
        client_email: 'relay@my-project.iam.gserviceaccount.com',
        token_uri: `${url}/token`,
      }),
    answersToken(response, { path, text }) {
      if (path !== '/token') return false
      const form = new URLSearchParams(text)
      const [head, claims, signature] = (form.get('assertion') ?? '').split('.')
      const isSigned = verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        publicKey,
        Buffer.from(signature ?? '', 'base64url'),
      )
      const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
      google.asked.push(partOf(claims))
      const isGood = isSigned && isGrant && partOf(head)['alg'] === 'RS256' && !google.refuses
      const error = { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }
      const token = `ya29.token-${google.asked.length}`
      const given = { access_token: token, expires_in: google.lifeSeconds, token_type: 'Bearer' }
      response.writeHead(isGood ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isGood ? given : error))
      return true
    },
  }
  return google
}
