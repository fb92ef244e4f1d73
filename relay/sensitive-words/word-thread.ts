// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import { isObject } from '../json.ts'
import { clientProtocol } from '../protocols/client-protocols.ts'
import { sensitiveWords } from './sensitive-words.ts'
import type { WordQuestion } from './word-check.ts'

parentPort?.on('message', ({ list, endpoint, body }: WordQuestion) => {
  const read: unknown = JSON.parse(Buffer.from(body.buffer).toString('utf8'))
  const words = sensitiveWords(list.split('\n'))
  const protocol = clientProtocol(endpoint.protocol)
  parentPort?.postMessage(isObject(read) && words.areIn(protocol.texts(read, endpoint)))
})
