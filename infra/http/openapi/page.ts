import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { READABLE_COLOURS, REPAIR_ROLES } from './page-repairs.ts'

/**
 * The API reference for people at /api/docs: can be searched, and tries calls as whoever is signed in. All that the page
 * needs comes from here.
 */
export async function mountReferencePage(
  app: FastifyInstance,
  document: () => object,
): Promise<void> {
  // The plugin wants a document when it is mounted; the true one is made when somebody looks at it.
  const empty = { openapi: '3.1.0', info: { title: 'Tollgate', version: '' }, paths: {} }
  await app.register(fastifySwagger, { mode: 'static', specification: { document: empty } })
  await app.register(fastifySwaggerUi, {
    routePrefix: '/api/docs',
    theme: {
      title: 'Tollgate API',
      js: [
        { filename: 'follow-theme.js', content: FOLLOW_THEME },
        { filename: 'repair-roles.js', content: REPAIR_ROLES },
      ],
      css: [{ filename: 'readable-colours.css', content: READABLE_COLOURS }],
    },
    uiConfig: { layout: 'BaseLayout', filter: true },
    transformSpecification: document,
    transformSpecificationClone: false,
  })
}

/** Gives the page the console's theme: the one chosen there, else the system's. */
const FOLLOW_THEME = `
const chosen = localStorage.getItem('theme-mode')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.classList.toggle('dark-mode', isDark)
`
