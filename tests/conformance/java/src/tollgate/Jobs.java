package tollgate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What every client's process does: it reads jobs from standard input, a JSON array, and writes a JSON line
 * {@code { id, seen }} for each that the client knows.
 */
final class Jobs {
  static final String QUESTION = "What is the weather?";
  private static final int JOB_SECONDS = 20;

  /** What a client is to ask. */
  record Job(String id, String protocol, String baseURL, String apiKey, String model, String kind) {
    boolean isStream() {
      return kind.contains("stream");
    }

    boolean offersTools() {
      return kind.startsWith("tools");
    }

    boolean asksForUsage() {
      return kind.equals("stream-usage");
    }
  }

  /** Asks as the job says; what it shows must be something that the mapper can write. */
  interface Client {
    Object observe(Job job) throws Exception;
  }

  private Jobs() {}

  /** Goes through the jobs and ends the process, whatever threads a library left running. */
  static void run(List<String> kinds, JsonMapper mapper, Client client) throws Exception {
    // Some loggers write to standard output.
    PrintStream lines = System.out;
    System.setOut(System.err);
    ExecutorService thread = Executors.newCachedThreadPool();
    for (JsonNode node : new JsonMapper().readTree(System.in)) {
      Job job = new JsonMapper().treeToValue(node, Job.class);
      if (!job.protocol().equals("openai") || !kinds.contains(job.kind())) continue;
      Object seen = inTime(thread.submit(() -> client.observe(job)));
      lines.println(mapper.writeValueAsString(seen("id", job.id(), "seen", seen)));
    }
    lines.flush();
    System.exit(0);
  }

  /** A map of names and values that keeps their order and takes null. */
  static Map<String, Object> seen(Object... namesAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int at = 0; at < namesAndValues.length; at += 2)
      map.put((String) namesAndValues[at], namesAndValues[at + 1]);
    return map;
  }

  private static Object inTime(Future<?> observed) throws InterruptedException {
    try {
      return observed.get(JOB_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      return seen("error", "no answer within " + JOB_SECONDS + " s");
    } catch (ExecutionException failed) {
      return seen("error", String.valueOf(failed.getCause()));
    }
  }
}
