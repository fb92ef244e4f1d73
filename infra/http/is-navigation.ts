import type { FastifyRequest } from 'fastify'

/**
 * Whether a person opens this address. Pages are asked for as text/html by every browser, over plain HTTP too, and by
 * nobody who wants JSON.
 */
export const isNavigation = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers.accept?.includes('text/html') === true
