import { isDeepStrictEqual } from 'node:util'
import { CHAIN_VERSION } from '@tollgate/infra/event-store/chain.ts'
import { makeChainText, readChainText, writeChainText } from './chain-file.ts'
import {
  fileName,
  GOLDEN_TYPES,
  makeGolden,
  readGoldens,
  withDecodedAnew,
  writeGolden,
} from './golden-file.ts'

/**
 * `npm run events:freeze`: writes golden files for event types and versions that have none, and brings up to date what
 * older ones are decoded to; and a file of the chain's version. Stored text that a file has is never written again.
 */
const kept = await readGoldens()
const known = new Set(kept.map(fileName))

for (const golden of kept) {
  const anew = withDecodedAnew(golden)
  if (isDeepStrictEqual(anew, golden)) continue
  await writeGolden(anew)
  process.stdout.write(`${fileName(golden)}: decoded anew, look at the difference\n`)
}
for (const golden of GOLDEN_TYPES.map(makeGolden)) {
  if (known.has(fileName(golden))) continue
  await writeGolden(golden)
  process.stdout.write(`${fileName(golden)}: written\n`)
}
const hasChain = await readChainText(CHAIN_VERSION).then(
  () => true,
  () => false,
)
if (!hasChain) {
  await writeChainText(await makeChainText())
  process.stdout.write(`chains/v${CHAIN_VERSION}.json: written\n`)
}
