// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import type { ReadQuestion, ReadReply } from './answer-reader.ts'
import { upstreamProtocol } from './upstream-protocols.ts'

parentPort?.on('message', ({ protocol, endpoint, body }: ReadQuestion) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const reply = upstreamProtocol(protocol).readWhole(endpoint, bytes)
  const facts: ReadReply =
    reply.status === 'answered' ? { ...reply, output: reply.output.facts() } : reply
  parentPort?.postMessage(facts)
})
