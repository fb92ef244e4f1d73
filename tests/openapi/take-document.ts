import { startSingleProduct } from '../support/product.ts'

/** The OpenAPI document, as text, of a Tollgate that is started for it. */
export async function takeDocument(): Promise<string> {
  const product = await startSingleProduct()
  try {
    return await (await fetch(`${product.url}/api/openapi.json`)).text()
  } finally {
    await product.dispose()
  }
}
