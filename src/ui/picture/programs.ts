/** What the graphics card draws: discs with rings, and ties between them that may be dashed. Lengths in pixels unless said otherwise. */

import { EdgeProgram, NodeProgram } from 'sigma/rendering'
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from 'sigma/types'

/** How a disc is drawn. Colours are `packed`. */
export interface Disc {
  x: number
  y: number
  /** Radius in the units of the map. */
  size: number
  fill: number
  ring: number
  ringWidth: number
  /** 1: only the middle and the ring are drawn, as for classes. */
  hollow: number
  /** Radius that it has at least, however far the camera is. */
  least: number
}

export interface Tie {
  colour: number
  width: number
  /** 1: dashed, as for guesses. */
  dashed: number
}

type Program = Parameters<EdgeProgram['setUniforms']>[1]

const numbers = (name: string, size: number) => ({ name, size, type: WebGLRenderingContext.FLOAT })
/** Colours, and ids as colours: four bytes in one number. */
const bytes = (name: string) => ({ name, size: 4, type: WebGLRenderingContext.UNSIGNED_BYTE, normalized: true })

const DISC_UNIFORMS = ['u_matrix', 'u_sizeRatio', 'u_correctionRatio'] as const

/**
 * A triangle around the disc; what lies outside of it is not painted. All corners are written out: thousands of
 * instances of three corners cost more than the numbers they save, most of all where the processor draws. Discs of
 * less than a pixel fade away.
 */
export class DiscProgram extends NodeProgram<(typeof DISC_UNIFORMS)[number], Disc, Tie> {
  getDefinition() {
    return {
      VERTICES: 3,
      METHOD: WebGLRenderingContext.TRIANGLES,
      UNIFORMS: DISC_UNIFORMS,
      ATTRIBUTES: [
        numbers('a_position', 2),
        numbers('a_size', 1),
        bytes('a_fill'),
        bytes('a_ring'),
        numbers('a_shape', 3),
        bytes('a_id'),
        numbers('a_angle', 1),
      ],
      VERTEX_SHADER_SOURCE: `
        attribute vec2 a_position;
        attribute float a_size;
        attribute vec4 a_fill;
        attribute vec4 a_ring;
        attribute vec3 a_shape;
        attribute vec4 a_id;
        attribute float a_angle;
        uniform mat3 u_matrix;
        uniform float u_sizeRatio;
        uniform float u_correctionRatio;
        varying vec4 v_fill;
        varying vec4 v_ring;
        varying vec2 v_shape;
        varying vec2 v_from;
        varying float v_radius;
        void main() {
          v_radius = max(a_size / u_sizeRatio, a_shape.z);
          // one pixel more, for the soft edge
          v_from = 2.0 * (v_radius + 1.0) * vec2(cos(a_angle), sin(a_angle));
          gl_Position = vec4((u_matrix * vec3(a_position + v_from * u_correctionRatio * 2.0, 1)).xy, 0, 1);
          #ifdef PICKING_MODE
          v_fill = a_id;
          #else
          v_fill = a_fill;
          #endif
          v_ring = a_ring;
          v_shape = a_shape.xy;
        }`,
      FRAGMENT_SHADER_SOURCE: `
        precision highp float;
        varying vec4 v_fill;
        varying vec4 v_ring;
        varying vec2 v_shape;
        varying vec2 v_from;
        varying float v_radius;
        void main() {
          float far = length(v_from);
          #ifdef PICKING_MODE
          if (far > max(v_radius, 2.0)) discard;
          gl_FragColor = v_fill;
          gl_FragColor.a *= 255.0 / 254.0;
          #else
          float inside = clamp(v_radius - far + 0.5, 0.0, 1.0);
          if (inside <= 0.0) discard;
          float width = min(v_shape.x, v_radius * 0.5);
          float onRing = clamp(far - (v_radius - width) + 0.5, 0.0, 1.0) * step(0.01, width);
          float middle = v_shape.y * clamp(far - v_radius * 0.45 + 0.5, 0.0, 1.0);
          vec4 fill = vec4(v_fill.rgb, v_fill.a * (1.0 - middle * 0.85));
          vec4 colour = mix(fill, v_ring, onRing);
          float alpha = colour.a * (255.0 / 254.0) * inside * smoothstep(0.4, 1.2, v_radius);
          gl_FragColor = vec4(colour.rgb * alpha, alpha);
          #endif
        }`,
    }
  }

  processVisibleItem(index: number, at: number, data: NodeDisplayData & Disc): void {
    const { array } = this
    let i = at
    for (let corner = 0; corner < 3; corner++) {
      array[i++] = data.x
      array[i++] = data.y
      array[i++] = data.size
      array[i++] = data.fill
      array[i++] = data.ring
      array[i++] = data.ringWidth
      array[i++] = data.hollow
      array[i++] = data.least
      array[i++] = index
      array[i++] = (corner * 2 * Math.PI) / 3
    }
  }

  setUniforms({ matrix, sizeRatio, correctionRatio }: RenderParams, { gl, uniformLocations }: Program): void {
    gl.uniformMatrix3fv(uniformLocations.u_matrix, false, matrix)
    gl.uniform1f(uniformLocations.u_sizeRatio, sizeRatio)
    gl.uniform1f(uniformLocations.u_correctionRatio, correctionRatio)
  }
}

const TIE_UNIFORMS = ['u_matrix', 'u_correctionRatio'] as const

/** End and side of the corners of two triangles. */
const CORNERS = [
  [0, 1],
  [0, -1],
  [1, 1],
  [1, 1],
  [0, -1],
  [1, -1],
] as const

/** A thin rectangle from middle to middle. */
export class TieProgram extends EdgeProgram<(typeof TIE_UNIFORMS)[number], Disc, Tie> {
  getDefinition() {
    return {
      VERTICES: 6,
      METHOD: WebGLRenderingContext.TRIANGLES,
      UNIFORMS: TIE_UNIFORMS,
      ATTRIBUTES: [
        numbers('a_start', 2),
        numbers('a_end', 2),
        bytes('a_colour'),
        numbers('a_shape', 2),
        bytes('a_id'),
        numbers('a_corner', 2),
      ],
      VERTEX_SHADER_SOURCE: `
        attribute vec2 a_start;
        attribute vec2 a_end;
        attribute vec4 a_colour;
        attribute vec2 a_shape;
        attribute vec4 a_id;
        attribute vec2 a_corner;
        uniform mat3 u_matrix;
        uniform float u_correctionRatio;
        varying vec4 v_colour;
        varying float v_dashed;
        varying float v_along;
        varying float v_across;
        varying float v_half;
        void main() {
          float pixel = u_correctionRatio * 2.0;
          vec2 along = a_end - a_start;
          float far = max(length(along), 1e-9);
          vec2 across = vec2(-along.y, along.x) / far;
          v_half = a_shape.x * 0.5;
          v_across = a_corner.y * (v_half + 1.0);
          v_along = a_corner.x * far / pixel;
          v_dashed = a_shape.y;
          gl_Position = vec4((u_matrix * vec3(mix(a_start, a_end, a_corner.x) + across * v_across * pixel, 1)).xy, 0, 1);
          #ifdef PICKING_MODE
          v_colour = a_id;
          #else
          v_colour = a_colour;
          #endif
        }`,
      FRAGMENT_SHADER_SOURCE: `
        precision highp float;
        varying vec4 v_colour;
        varying float v_dashed;
        varying float v_along;
        varying float v_across;
        varying float v_half;
        void main() {
          #ifdef PICKING_MODE
          discard;
          #else
          if (v_dashed > 0.5 && mod(v_along, 9.0) > 5.0) discard;
          float alpha = v_colour.a * (255.0 / 254.0) * clamp(v_half - abs(v_across) + 0.5, 0.0, 1.0);
          gl_FragColor = vec4(v_colour.rgb * alpha, alpha);
          #endif
        }`,
    }
  }

  processVisibleItem(
    index: number,
    at: number,
    { x: fromX, y: fromY }: NodeDisplayData,
    { x: toX, y: toY }: NodeDisplayData,
    data: EdgeDisplayData & Tie,
  ): void {
    const { array } = this
    let i = at
    for (const [end, side] of CORNERS) {
      array[i++] = fromX
      array[i++] = fromY
      array[i++] = toX
      array[i++] = toY
      array[i++] = data.colour
      array[i++] = data.width
      array[i++] = data.dashed
      array[i++] = index
      array[i++] = end
      array[i++] = side
    }
  }

  setUniforms({ matrix, correctionRatio }: RenderParams, { gl, uniformLocations }: Program): void {
    gl.uniformMatrix3fv(uniformLocations.u_matrix, false, matrix)
    gl.uniform1f(uniformLocations.u_correctionRatio, correctionRatio)
  }
}
