import { serve } from "topk-sdca/worker";

serve(self);
