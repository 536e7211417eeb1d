export const layers: Record<string, string[]>
