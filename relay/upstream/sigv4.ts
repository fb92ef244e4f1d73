import { createHash, createHmac } from 'node:crypto'
import type { Address } from './address.ts'

/** The parts of a key written `AccessKey|SecretKey|Region`. */
export interface AwsKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

/** The parts of a request that are signed: with the type of its body and its bytes. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly address: Address
  readonly body: Buffer | null
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** A region becomes part of a host's name. */
const REGION = /^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/
const JSON_TYPE = 'application/json'

/** A channel's key in its parts; null when it is of another form. */
export function awsKey(key: string): AwsKey | null {
  const [accessKeyId = '', secretAccessKey = '', region = '', ...more] = key
    .split('|')
    .map((part) => part.trim())
  const isWhole = accessKeyId !== '' && secretAccessKey !== '' && REGION.test(region)
  return isWhole && more.length === 0 ? { accessKeyId, secretAccessKey, region } : null
}

/**
 * AWS's Signature Version 4 of a JSON request, as the headers that carry it
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). `now` in unix milliseconds.
 */
export function sigV4Headers(
  { accessKeyId, secretAccessKey, region }: AwsKey,
  service: string,
  { method, address, body }: SignedRequest,
  now: number,
): Readonly<Record<string, string>> {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const names = 'content-type;host;x-amz-date'
  const [path = '/', query = ''] = address.path.split('?', 2)
  const request = [
    method,
    path.split('/').map(encoded).join('/'),
    query.split('&').toSorted().join('&'),
    `content-type:${JSON_TYPE}`,
    `host:${new URL(address.origin).host}`,
    `x-amz-date:${time}`,
    '',
    names,
    sha256(body ?? ''),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const signing = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${secretAccessKey}`,
  )
  const signature = hmac(signing, [ALGORITHM, time, scope, sha256(request)].join('\n'))
  return {
    'content-type': JSON_TYPE,
    'x-amz-date': time,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature.toString('hex')}`,
  }
}

/** Every service but S3 wants a path, which is encoded as it is sent, encoded once more. */
const encoded = (segment: string): string =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')

const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()
