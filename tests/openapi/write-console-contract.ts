import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installLocked } from '../support/install-locked.ts'
import { CONTRACT_FILE, consoleContract } from './console-contract.ts'
import { takeDocument } from './take-document.ts'

/** `npm run contract`: starts Tollgate and writes the console's types of its calls from its OpenAPI document. */
installLocked(join(import.meta.dirname, 'clients'))
writeFileSync(CONTRACT_FILE, await consoleContract(await takeDocument()))
