import { isObject, parseForeign } from '../json.ts'

/**
 * The parts of a Google service account's JSON key that sign requests for tokens
 * (cloud.google.com/iam/docs/keys-create-delete).
 */
export interface ServiceAccount {
  readonly clientEmail: string
  /** PEM. */
  readonly privateKey: string
  readonly projectId: string
  readonly tokenUri: string
}

const TOKEN_URI = 'https://oauth2.googleapis.com/token'

/** Reads a key; null for one that is no service account. Nothing of the key is in any error. */
export function serviceAccountOf(key: string): ServiceAccount | null {
  const read = parseForeign(key)
  if (!isObject(read)) return null
  const { client_email: email, private_key: pem, project_id: project, token_uri: uri } = read
  if (!isText(email) || !isText(pem) || !isText(project)) return null
  return {
    clientEmail: email,
    // Pasted keys often have their line ends escaped twice.
    privateKey: pem.replaceAll(String.raw`\n`, '\n'),
    projectId: project,
    tokenUri: isText(uri) ? uri : TOKEN_URI,
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
