import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSingleProduct } from '../support/product.ts'
import { NEIGHBOUR_ROUTES } from './contract-routes.ts'
import { neighboursOf, routesIn, sourceFiles, withRouteTable } from './route-table.ts'

/** `npm run routes`: starts Tollgate, asks it which routes it has, and writes the table into command-api/README.md. */
const root = join(import.meta.dirname, '../..')
const readme = join(root, 'command-api/README.md')
const product = await startSingleProduct()
try {
  const answer = await fetch(`${product.url}/api/openapi.json`)
  const routes = [...routesIn(await answer.json()), ...neighboursOf(NEIGHBOUR_ROUTES)]
  writeFileSync(readme, withRouteTable(readFileSync(readme, 'utf8'), routes, sourceFiles(root)))
  process.stdout.write(`${routes.length} routes written to command-api/README.md\n`)
} finally {
  await product.dispose()
}
