/** Lets the conformance suite start on Node 20, whose `fs` lacks a function that the suite imports and needs for other commands only. */

import { register } from 'node:module'

const fs = `
  export * from 'node:fs'
  export { default } from 'node:fs'
  export function globSync() { throw new Error('this version of Node has no globSync') }`
const hooks = `
  export function resolve(name, context, next) {
    const asks = name === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    return asks ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)}, shortCircuit: true } : next(name, context)
  }`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)
