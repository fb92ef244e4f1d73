// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import type { ReadQuestion, ReadReply } from './answer-reader.ts'
import { readWholeReply } from './whole-reply.ts'

parentPort?.on('message', ({ endpoint, body }: ReadQuestion) => {
  const reply = readWholeReply(endpoint, Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  const facts: ReadReply =
    reply.status === 'answered' ? { ...reply, output: reply.output.facts() } : reply
  parentPort?.postMessage(facts)
})
