package interop;

import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The scripted agent and the client of the matrix on the Java SDK: `server …` and `client …`. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Logger.getLogger("").setLevel(Level.OFF);
    // The transports stand on servers that the SDK does not know.
    System.setProperty("io.a2a.transport.skipValidation", "true");
    List<String> given = Arrays.asList(arguments);
    if (given.get(0).equals("server")) {
      Server.serve(option(given, "--port"), option(given, "--grpc-port"), Neutral.load(option(given, "--parts")));
    } else {
      new Client(option(given, "--card"), option(given, "--binding"), option(given, "--version"))
          .play(Neutral.load(option(given, "--parts")));
    }
    System.exit(0);
  }

  private static String option(List<String> given, String name) {
    return given.get(given.indexOf(name) + 1);
  }
}
