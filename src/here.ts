import { readOptions } from "./constraints.ts";
import { readFitInput } from "./fit/fitInput.ts";
import { readTrainingRows } from "./gram.ts";
import { createModel, modelState } from "./model.ts";
import { resolveSettings, settingNames } from "./settings.ts";
import { init } from "./wasm/shared.ts";

/** What a remote fit does on this side. */
export const here = {
  createModel,
  init,
  modelState,
  readFitInput,
  readOptions,
  readTrainingRows,
  resolveSettings,
  settingNames,
};
export type Here = typeof here;
