import { expect, test } from 'vitest'
import { awsKey, sigV4Headers } from './sigv4.ts'

const KEY = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-west-2',
}
const ORIGIN = 'https://bedrock-runtime.us-west-2.amazonaws.com'
const NOW = Date.UTC(2026, 10, 22, 12, 34, 56)

// Signatures made by @smithy/signature-v4 5.7.5, which AWS's own SDK signs with.
test.each([
  [
    '/model/us.anthropic.claude-3-7-sonnet-20250219-v1%3A0/invoke',
    '0dac8312127823c8f428750d65655a27f60d7e4e2f4c4b49eb5b01dc552244bd',
  ],
  [
    '/model/arn%3Aaws%3Abedrock%3Aus-west-2%3A123456789012%3Ainference-profile%2Fus.x/invoke-with-response-stream',
    '9210c263e2b55c95e71c2ebd222dabee2a458d617dc411495c963032bb87dac6',
  ],
])('given the path %s, when signed, then it is as by the SDK of AWS', (path, signature) => {
  const body = Buffer.from('{"max_tokens":1}')
  const request = { method: 'POST', address: { origin: ORIGIN, path }, body } as const
  expect(sigV4Headers(KEY, 'bedrock', request, NOW)).toEqual({
    'content-type': 'application/json',
    'x-amz-date': '20261122T123456Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261122/us-west-2/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=${signature}`,
  })
})

test('given a key of three parts, when read, then its region is one that can be part of a host', () => {
  expect(awsKey(' AKIDEXAMPLE|secret|us-gov-west-1 ')).toEqual({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
    region: 'us-gov-west-1',
  })
  for (const wrong of [
    '',
    'a|b',
    'a|b|',
    'a|b|us-east-1|d',
    '|b|us-east-1',
    'a|b|evil.org/',
    'a|b|x@10.0.0.1',
  ]) {
    expect(awsKey(wrong)).toBeNull()
  }
})
