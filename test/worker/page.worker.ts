// A module worker of the browser's.
import { serve } from "../../src/worker.ts";

serve(self);
self.addEventListener("message", ({ data }) => {
  if (data === "throw") throw new Error("the sky fell");
});
