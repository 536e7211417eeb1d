import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { delivered } from '#server/delivered'

describe('what was written', () => {
  test('counts as delivered once it is read, and not before', async () => {
    const pipe = new PassThrough({ highWaterMark: 1 })
    pipe.write('bill')
    pipe.write('receipt')
    let done = false
    const wait = delivered(pipe).then(() => {
      done = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(done).toBe(false)
    pipe.resume()
    await wait
    expect(pipe.writableLength).toBe(0)
  })

  test('is not waited for when nothing waits, nor when the reader has gone', async () => {
    await delivered(new PassThrough())
    const gone = new PassThrough({ highWaterMark: 1 })
    gone.on('error', () => {})
    gone.write('bill')
    gone.write('receipt')
    const wait = delivered(gone)
    gone.destroy(new Error('nobody reads'))
    await wait
    await delivered(gone)
    expect(gone.destroyed).toBe(true)
  })

  test('is given up when its reader takes nothing for long', async () => {
    const pipe = new PassThrough({ highWaterMark: 1 })
    pipe.write('bill')
    pipe.write('receipt')
    await delivered(pipe, 10)
    expect(pipe.writableLength).toBeGreaterThan(0)
  })
})
