interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): unknown };
}

/** A module of Node's, in Node. Not by an import, over which bundlers for pages would stumble. */
export const builtin = <module>(name: string): module | undefined =>
  (globalThis as Runtime).process?.getBuiltinModule?.(name) as module | undefined;
